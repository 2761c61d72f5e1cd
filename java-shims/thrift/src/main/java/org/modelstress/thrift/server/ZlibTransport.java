package org.modelstress.thrift.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.transport.TTransport;
import org.apache.thrift.transport.TTransportException;

/**
 * Thrift messages over TCP in one zlib stream for each direction, flushed after every message: what
 * libthrift's {@code TZlibTransport} over a {@code TSocket} speaks, without its garbage. One thread
 * uses it; {@link #close}, {@link #hasGone} and the times are for any.
 */
public final class ZlibTransport extends TTransport {
  private final SocketChannel channel;
  private final ZlibCodec.Pool codecs;
  private final ZlibCodec codec;
  private final TConfiguration limits;
  private final RequestMemory memory;

  /** Held while bytes are moved. */
  private final ReentrantLock moving = new ReentrantLock();

  /** What came while nobody read; empty but ready to be written, null at first. */
  private ByteBuffer early;

  /** Plain bytes that came: the codec's buffer, or a larger one for a long text. */
  private byte[] in;

  private long taken;
  private final AtomicBoolean closed = new AtomicBoolean();
  private int inAt;
  private int inEnd;
  private int outEnd;
  private long budget;
  private long received;
  private long sent;
  private volatile long blockedSince;
  private volatile long messageSince;

  /**
   * Takes a connected channel over.
   *
   * @param limits largest message, uncompressed
   */
  public ZlibTransport(SocketChannel channel, ZlibCodec.Pool codecs, TConfiguration limits) {
    this(channel, codecs, limits, null);
  }

  /** As the other, but long messages are taken from a memory that others take from, too. */
  ZlibTransport(
      SocketChannel channel, ZlibCodec.Pool codecs, TConfiguration limits, RequestMemory memory) {
    this.memory = memory;
    this.channel = channel;
    this.codecs = codecs;
    this.codec = codecs.take();
    this.in = codec.in;
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
      giveMemoryBack();
      codecs.giveBack(codec);
    }
  }

  private void giveMemoryBack() {
    if (taken > 0) {
      memory.giveBack(taken);
      taken = 0;
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

  /** How long a message has been on its way while the thread waits for the rest of it. */
  long receivingForNanos(long now) {
    long since = messageSince;
    return since == 0 || blockedSince == 0 ? 0 : now - since;
  }

  /**
   * Whether the other side has closed the connection while a request of it is in work. What came
   * meanwhile is kept for later.
   */
  boolean hasGone() {
    if (!moving.tryLock()) {
      return false; // the request's thread reads or writes: it will see for itself
    }
    try {
      if (early == null) {
        early = ByteBuffer.allocate(ZlibCodec.BUFFER);
      }
      channel.configureBlocking(false);
      try {
        return early.hasRemaining() && channel.read(early) < 0;
      } finally {
        channel.configureBlocking(true);
      }
    } catch (IOException e) {
      return true;
    } finally {
      moving.unlock();
    }
  }

  @Override
  public int read(byte[] into, int offset, int length) throws TTransportException {
    if (inAt == inEnd) {
      fill();
    }
    int n = Math.min(length, inEnd - inAt);
    System.arraycopy(in, inAt, into, offset, n);
    inAt += n;
    return n;
  }

  private void fill() throws TTransportException {
    in = codec.in;
    inAt = 0;
    inEnd = 0;
    inflate();
  }

  /** Adds to the plain bytes what there is room for, but one at least. */
  private void inflate() throws TTransportException {
    try {
      int n = codec.inflater.inflate(in, inEnd, in.length - inEnd);
      while (n == 0) {
        if (!codec.inflater.needsInput()) { // the stream has ended or wants a dictionary
          throw new TTransportException(
              TTransportException.CORRUPTED_DATA, "the zlib stream cannot go on");
        }
        receive();
        n = codec.inflater.inflate(in, inEnd, in.length - inEnd);
      }
      inEnd += n;
      budget -= n;
    } catch (DataFormatException e) {
      throw new TTransportException(
          TTransportException.CORRUPTED_DATA, "what came is not a zlib stream", e);
    }
    checkBudget(0);
    takeMemory();
  }

  /**
   * Waits until so many plain bytes have come, in a buffer that grows with them: whoever only says
   * that there will be many gets no memory for it.
   */
  private void await(int bytes) throws TTransportException {
    while (inEnd - inAt < bytes) {
      if (inEnd == in.length) {
        int left = inEnd - inAt;
        byte[] larger = new byte[(int) Math.min(Math.max(2L * left, RequestMemory.SMALL), bytes)];
        System.arraycopy(in, inAt, larger, 0, left);
        in = larger;
        inAt = 0;
        inEnd = left;
      }
      inflate();
    }
  }

  /** Counts the plain bytes of a message that is not small, whatever becomes of them. */
  private void takeMemory() throws TTransportException {
    long more = limits.getMaxMessageSize() - budget - RequestMemory.SMALL - taken;
    if (memory == null || more <= 0) {
      return;
    }
    if (!memory.take(more)) {
      throw new TTransportException(
          TTransportException.MESSAGE_SIZE_LIMIT,
          "other large requests hold the memory for such: send it again later");
    }
    taken += more;
  }

  private void receive() throws TTransportException {
    codec.wireIn.clear();
    blockedSince = System.nanoTime();
    try {
      int n = readChannel();
      if (n < 0) {
        throw new TTransportException(TTransportException.END_OF_FILE, "the connection was closed");
      }
      received += n;
      if (messageSince == 0) {
        messageSince = System.nanoTime();
      }
    } catch (IOException e) {
      throw new TTransportException(TTransportException.NOT_OPEN, "the connection was lost", e);
    } finally {
      blockedSince = 0;
    }
    codec.inflater.setInput(codec.wireIn.flip());
  }

  private int readChannel() throws IOException {
    moving.lock();
    try {
      if (early == null || early.position() == 0) {
        return channel.read(codec.wireIn);
      }
      int n = early.flip().remaining();
      codec.wireIn.put(early);
      early.clear();
      return n;
    } finally {
      moving.unlock();
    }
  }

  @Override
  public byte[] getBuffer() {
    return in;
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
    messageSince = 0;
    giveMemoryBack();
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
    moving.lock();
    try {
      while (codec.wireOut.hasRemaining()) {
        sent += channel.write(codec.wireOut);
      }
    } catch (IOException e) {
      throw new TTransportException(TTransportException.NOT_OPEN, "the connection was lost", e);
    } finally {
      moving.unlock();
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
    checkBudget(size);
  }

  /**
   * Refuses a length that the rest of the message cannot have, before anybody makes room for it,
   * and waits for the bytes of a great one that it can have.
   */
  @Override
  public void checkReadBytesAvailable(long bytes) throws TTransportException {
    checkBudget(bytes);
    if (memory != null && bytes > RequestMemory.SMALL) {
      await((int) bytes);
    }
  }

  private void checkBudget(long bytes) throws TTransportException {
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
