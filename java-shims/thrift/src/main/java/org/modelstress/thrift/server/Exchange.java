package org.modelstress.thrift.server;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.TException;
import org.apache.thrift.TProcessor;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.transport.AutoExpandingBufferWriteTransport;
import org.apache.thrift.transport.TMemoryInputTransport;

/** Buffers and protocols of one HTTP thread, used for one request after the other. */
final class Exchange {
  private static final int BUFFER = 8 * 1024;

  /** A thread does not keep more than this after a large answer. */
  private static final int LARGEST_KEPT = 1 << 20;

  /** RFC 1952: magic, deflate, no flags, no time, no extra flags, unknown system. */
  private static final byte[] GZIP_HEADER = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 0xff};

  private static final int GZIP_TRAILER = 8;

  private record Pair(TProtocol in, TProtocol out) {}

  private final TConfiguration limits;
  private final TMemoryInputTransport in;
  private AutoExpandingBufferWriteTransport out;
  private final Map<WireProtocol, Pair> protocols = new EnumMap<>(WireProtocol.class);
  private byte[] zipped = new byte[BUFFER];
  private final Deflater deflater;
  private final CRC32 checksum = new CRC32();

  Exchange(TConfiguration limits, int compressionLevel) throws TException {
    this.limits = limits;
    in = new TMemoryInputTransport(limits);
    out = newOut();
    deflater = new Deflater(compressionLevel, true);
  }

  private AutoExpandingBufferWriteTransport newOut() throws TException {
    return new AutoExpandingBufferWriteTransport(limits, BUFFER, 0);
  }

  /** Has the request processed; the answer is then in the buffer. */
  void process(byte[] request, int length, TProcessor processor, WireProtocol wire)
      throws TException {
    Pair pair = protocols.get(wire);
    if (pair == null) {
      pair = new Pair(wire.over(in), wire.over(out));
      protocols.put(wire, pair);
    }
    in.reset(request, 0, length);
    out.reset();
    try {
      processor.process(pair.in, pair.out);
    } finally {
      in.clear(); // a thread does not keep a large request
    }
  }

  /** The answer; valid until the next request. */
  ByteBuffer answer() {
    return ByteBuffer.wrap(out.getBuf().array(), 0, out.getLength());
  }

  /** The same in gzip's format; valid until the next request. */
  ByteBuffer gzipped(ByteBuffer plain) {
    checksum.reset();
    checksum.update(plain.duplicate());
    deflater.reset();
    deflater.setInput(plain.duplicate());
    deflater.finish();
    System.arraycopy(GZIP_HEADER, 0, zipped, 0, GZIP_HEADER.length);
    int end = GZIP_HEADER.length;
    while (!deflater.finished()) {
      if (zipped.length - end <= GZIP_TRAILER) {
        zipped = Arrays.copyOf(zipped, 2 * zipped.length);
      }
      end += deflater.deflate(zipped, end, zipped.length - end - GZIP_TRAILER);
    }
    end = putInt(end, (int) checksum.getValue());
    end = putInt(end, plain.remaining());
    return ByteBuffer.wrap(zipped, 0, end);
  }

  private int putInt(int at, int value) {
    for (int i = 0; i < Integer.BYTES; i++) {
      zipped[at + i] = (byte) (value >>> (8 * i));
    }
    return at + Integer.BYTES;
  }

  /** Drops buffers that one large answer has made. */
  void shrink() throws TException {
    if (zipped.length > LARGEST_KEPT) {
      zipped = new byte[BUFFER];
    }
    if (out.getBuf().array().length > LARGEST_KEPT) {
      out = newOut();
      protocols.clear();
    }
  }

  /** Frees what is outside of the heap. */
  void close() {
    deflater.end();
  }
}
