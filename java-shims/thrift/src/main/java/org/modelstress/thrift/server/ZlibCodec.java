package org.modelstress.thrift.server;

import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * What one end of a compressed connection needs: zlib's two states and buffers, about 300 KB, most
 * of it outside of the heap. Kept for the next connection, because making and zeroing it costs more
 * than a small query.
 */
public final class ZlibCodec {
  static final int BUFFER = 8 * 1024;

  final Inflater inflater = new Inflater();
  final Deflater deflater;

  /** Compressed bytes from and to the network. */
  final ByteBuffer wireIn = ByteBuffer.allocateDirect(BUFFER).limit(0);

  final ByteBuffer wireOut = ByteBuffer.allocateDirect(BUFFER);

  /** Plain bytes. */
  final byte[] in = new byte[BUFFER];

  final byte[] out = new byte[BUFFER];

  private ZlibCodec(int level) {
    deflater = new Deflater(level);
  }

  private void end() {
    inflater.end();
    deflater.end();
  }

  /** Codecs of one compression level, for any number of threads. */
  public static final class Pool implements AutoCloseable {
    private final int level;
    private final int most;
    private final ConcurrentLinkedDeque<ZlibCodec> idle = new ConcurrentLinkedDeque<>();
    private final AtomicInteger size = new AtomicInteger();
    private final AtomicInteger leastIdle = new AtomicInteger();
    private volatile boolean closed;

    /** Keeps at most so many codecs. */
    public Pool(int level, int most) {
      this.level = level;
      this.most = most;
    }

    ZlibCodec take() {
      ZlibCodec codec = idle.pollFirst();
      if (codec == null) {
        return new ZlibCodec(level);
      }
      leastIdle.accumulateAndGet(size.decrementAndGet(), Math::min);
      return codec;
    }

    void giveBack(ZlibCodec codec) {
      if (size.incrementAndGet() > most) {
        size.decrementAndGet();
        codec.end();
        return;
      }
      codec.inflater.reset();
      codec.deflater.reset();
      codec.wireIn.limit(0);
      codec.wireOut.clear();
      idle.addFirst(codec);
      if (closed) {
        close();
      }
    }

    /** Lets go of half of the codecs that nobody has used since the last call. */
    public void shrink() {
      int unused = Math.min(leastIdle.getAndSet(size.get()), size.get());
      for (int i = 0; i < (unused + 1) / 2; i++) {
        ZlibCodec codec = idle.pollLast();
        if (codec != null) {
          size.decrementAndGet();
          codec.end();
        }
      }
    }

    @Override
    public void close() {
      closed = true;
      for (ZlibCodec codec = idle.pollFirst(); codec != null; codec = idle.pollFirst()) {
        codec.end();
      }
    }
  }
}
