package org.modelstress.thrift.server;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.transport.TTransport;
import org.apache.thrift.transport.TTransportException;

/**
 * Thrift messages over TCP in one zlib stream for each direction, flushed after every message: what
 * libthrift's {@code TZlibTransport} over a {@code TSocket} speaks, without its garbage. One thread
 * uses it; {@link #close} and {@link #blockedForNanos} are for any.
 */
public final class ZlibTransport extends TTransport {
  private final SocketChannel channel;
  private final ZlibCodec.Pool codecs;
  private final ZlibCodec codec;
  private final TConfiguration limits;
  private final AtomicBoolean closed = new AtomicBoolean();
  private int inAt;
  private int inEnd;
  private int outEnd;
  private long budget;
  private long received;
  private long sent;
  private volatile long blockedSince;

  /**
   * Takes a connected channel over.
   *
   * @param limits largest message, uncompressed
   */
  public ZlibTransport(SocketChannel channel, ZlibCodec.Pool codecs, TConfiguration limits) {
    this.channel = channel;
    this.codecs = codecs;
    this.codec = codecs.take();
    this.limits = limits;
    this.budget = limits.getMaxMessageSize();
  }

  @Override
  public boolean isOpen() {
    return channel.isOpen();
  }

  @Override
  public void open() {
    // it is open from the beginning
  }

  /** Ends the connection; a thread that waits for it is woken. */
  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      // nothing more can be done for it
    }
  }

  /** Gives the buffers back, once, when no thread uses this any more. */
  public void release() {
    close();
    if (closed.compareAndSet(false, true)) {
      codecs.giveBack(codec);
    }
  }

  /** Bytes from the network so far, compressed. */
  public long received() {
    return received;
  }

  /** Bytes to the network so far, compressed. */
  public long sent() {
    return sent;
  }

  /** How long the thread has waited for the other side; 0 while it does not. */
  long blockedForNanos(long now) {
    long since = blockedSince;
    return since == 0 ? 0 : now - since;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws TTransportException {
    if (inAt == inEnd) {
      fill();
    }
    int n = Math.min(length, inEnd - inAt);
    System.arraycopy(codec.in, inAt, into, offset, n);
    inAt += n;
    return n;
  }

  private void fill() throws TTransportException {
    try {
      int n = codec.inflater.inflate(codec.in);
      while (n == 0) {
        if (!codec.inflater.needsInput()) { // the stream has ended or wants a dictionary
          throw new TTransportException(
              TTransportException.CORRUPTED_DATA, "the zlib stream cannot go on");
        }
        receive();
        n = codec.inflater.inflate(codec.in);
      }
      inAt = 0;
      inEnd = n;
      budget -= n;
    } catch (DataFormatException e) {
      throw new TTransportException(
          TTransportException.CORRUPTED_DATA, "what came is not a zlib stream", e);
    }
    checkReadBytesAvailable(0);
  }

  private void receive() throws TTransportException {
    codec.wireIn.clear();
    blockedSince = System.nanoTime();
    try {
      int n = channel.read(codec.wireIn);
      if (n < 0) {
        throw new TTransportException(TTransportException.END_OF_FILE, "the connection was closed");
      }
      received += n;
    } catch (IOException e) {
      throw new TTransportException(TTransportException.NOT_OPEN, "the connection was lost", e);
    } finally {
      blockedSince = 0;
    }
    codec.inflater.setInput(codec.wireIn.flip());
  }

  @Override
  public byte[] getBuffer() {
    return codec.in;
  }

  @Override
  public int getBufferPosition() {
    return inAt;
  }

  @Override
  public int getBytesRemainingInBuffer() {
    return inEnd - inAt;
  }

  @Override
  public void consumeBuffer(int length) {
    inAt += length;
  }

  @Override
  public void write(byte[] from, int offset, int length) throws TTransportException {
    int at = offset;
    int left = length;
    while (left > 0) {
      if (outEnd == codec.out.length) {
        deflate(Deflater.NO_FLUSH);
      }
      int n = Math.min(left, codec.out.length - outEnd);
      System.arraycopy(from, at, codec.out, outEnd, n);
      outEnd += n;
      at += n;
      left -= n;
    }
  }

  /** Sends what was written and begins to count the next message from the other side. */
  @Override
  public void flush() throws TTransportException {
    deflate(Deflater.SYNC_FLUSH);
    send();
    budget = limits.getMaxMessageSize();
  }

  private void deflate(int flush) throws TTransportException {
    codec.deflater.setInput(codec.out, 0, outEnd);
    codec.deflater.deflate(codec.wireOut, flush);
    while (!codec.wireOut.hasRemaining()) {
      send();
      codec.deflater.deflate(codec.wireOut, flush);
    }
    outEnd = 0;
  }

  private void send() throws TTransportException {
    codec.wireOut.flip();
    blockedSince = System.nanoTime();
    try {
      while (codec.wireOut.hasRemaining()) {
        sent += channel.write(codec.wireOut);
      }
    } catch (IOException e) {
      throw new TTransportException(TTransportException.NOT_OPEN, "the connection was lost", e);
    } finally {
      blockedSince = 0;
    }
    codec.wireOut.clear();
  }

  @Override
  public TConfiguration getConfiguration() {
    return limits;
  }

  @Override
  public void updateKnownMessageSize(long size) throws TTransportException {
    checkReadBytesAvailable(size);
  }

  /**
   * Refuses a length that the rest of the message cannot have, before anybody makes room for it.
   */
  @Override
  public void checkReadBytesAvailable(long bytes) throws TTransportException {
    if (bytes > budget + (inEnd - inAt) || budget < 0) {
      throw new TTransportException(
          TTransportException.MESSAGE_SIZE_LIMIT,
          "the message is larger than " + limits.getMaxMessageSize() + " bytes");
    }
  }

  @Override
  public void resetMessageSizeAndConsumedBytes(long size) {
    budget = limits.getMaxMessageSize();
  }
}
