package org.modelstress.harness.samples;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

/**
 * An MSSF file under construction: records of fixed width in memory-mapped chunks. Zeros are
 * written before a chunk is mapped: a full disk is then an exception here, where a sparse file
 * would end the process with SIGBUS at some later store. A thread of its own keeps the file ahead
 * of its writers.
 */
final class MappedRecords {
  private static final int SHIFT = 14;
  private static final int CHUNK_RECORDS = 1 << SHIFT;
  private static final int MAX_CHUNKS = 1 << 16;
  private static final int CHUNKS_AHEAD = 2;

  private final Path file;
  private final FileChannel channel;
  private final int recordSize;
  private final long begin;
  private final ByteBuffer zeros;
  private final AtomicReferenceArray<MappedByteBuffer> chunks =
      new AtomicReferenceArray<>(MAX_CHUNKS);
  private final Thread grower;
  private volatile long wanted = -1;
  private volatile boolean closed;
  private int mapped;

  MappedRecords(Path file, MssfHeader header) throws IOException {
    this.file = file;
    this.recordSize = header.recordSize();
    this.zeros = ByteBuffer.allocateDirect(CHUNK_RECORDS * recordSize);
    byte[] bytes = header.toBytes();
    this.begin = bytes.length;
    this.channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      writeFully(ByteBuffer.wrap(bytes), 0);
      grow(0);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
    this.grower = new Thread(this::keepAhead, "sample-file-grower");
    grower.setDaemon(true);
    grower.start();
  }

  /** The chunk that holds a record, which exists after this call. */
  ByteBuffer chunk(long record) {
    int number = (int) (record >> SHIFT);
    ByteBuffer chunk = chunks.getAcquire(number);
    if (chunk == null) {
      grow(number);
      chunk = chunks.getAcquire(number);
    }
    if ((record & (CHUNK_RECORDS - 1)) == 0) {
      wanted = number + CHUNKS_AHEAD;
      LockSupport.unpark(grower);
    }
    return chunk;
  }

  /** Where in its chunk a record begins. */
  int offset(long record) {
    return (int) (record & (CHUNK_RECORDS - 1)) * recordSize;
  }

  private void keepAhead() {
    while (!closed) {
      if (wanted >= 0) {
        try {
          growUnlessClosed((int) wanted);
        } catch (FileFullException e) {
          return; // whoever needs the chunk meets the full disk himself
        }
      }
      LockSupport.park(this);
    }
  }

  private synchronized void growUnlessClosed(int number) {
    if (!closed) {
      grow(number);
    }
  }

  private synchronized void grow(int number) {
    if (closed) {
      throw new IllegalStateException(file + " is closed");
    }
    try {
      while (mapped <= number) {
        long position = begin + (long) mapped * zeros.capacity();
        writeFully(zeros.clear(), position);
        MappedByteBuffer chunk =
            channel.map(FileChannel.MapMode.READ_WRITE, position, zeros.capacity());
        chunk.order(ByteOrder.LITTLE_ENDIAN);
        chunks.setRelease(mapped, chunk);
        mapped++;
      }
    } catch (IOException e) {
      throw new FileFullException(file, e);
    }
  }

  private void writeFully(ByteBuffer bytes, long position) throws IOException {
    long at = position;
    while (bytes.hasRemaining()) {
      at += channel.write(bytes, at);
    }
  }

  /** Cuts the file behind {@code records} records and closes it; nobody may write any more. */
  synchronized void close(long records) throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    LockSupport.unpark(grower);
    try (channel) {
      long kept = Math.min(records, (long) mapped * CHUNK_RECORDS);
      channel.truncate(begin + kept * recordSize);
    }
  }
}
