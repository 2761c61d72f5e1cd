package org.modelstress.harness.samples;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** Reads an MSSF file; a last record that is incomplete (a killed writer) is left out. */
public final class MssfReader {
  private static final long PART_BYTES = 1L << 30;

  private final String file;
  private final MssfHeader header;
  private final ByteBuffer[] parts;
  private final long records;
  private final long recordsPerPart;

  private MssfReader(String file, MssfHeader header, FileChannel channel, long begin)
      throws IOException {
    this.file = file;
    this.header = header;
    this.records = (channel.size() - begin) / header.recordSize();
    // a mapping holds at most 2 GiB, and no record may lie across two of them
    this.recordsPerPart = PART_BYTES / header.recordSize();
    this.parts = new ByteBuffer[(int) ((records + recordsPerPart - 1) / recordsPerPart)];
    for (int i = 0; i < parts.length; i++) {
      long first = i * recordsPerPart;
      long count = Math.min(recordsPerPart, records - first);
      parts[i] =
          channel
              .map(
                  FileChannel.MapMode.READ_ONLY,
                  begin + first * header.recordSize(),
                  count * header.recordSize())
              .order(ByteOrder.LITTLE_ENDIAN);
    }
  }

  /**
   * Opens a file.
   *
   * @throws IOException with one sentence when it is missing, no MSSF file or damaged
   */
  public static MssfReader open(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      int length = MssfHeader.jsonLength(read(channel, 0, MssfHeader.PREFIX), path.toString());
      if (MssfHeader.PREFIX + (long) length > channel.size()) {
        throw new IOException(path + ": MSSF header is truncated");
      }
      byte[] json = read(channel, MssfHeader.PREFIX, length).array();
      MssfHeader header = MssfHeader.parse(json, path.toString());
      return new MssfReader(path.toString(), header, channel, MssfHeader.PREFIX + (long) length);
    }
  }

  private static ByteBuffer read(FileChannel channel, long position, int length)
      throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(length);
    while (buffer.hasRemaining() && channel.read(buffer, position + buffer.position()) >= 0) {}
    return buffer.flip();
  }

  /** The header. */
  public MssfHeader header() {
    return header;
  }

  /** Number of records, unfinished ones included. */
  public long records() {
    return records;
  }

  /**
   * A column by name.
   *
   * @throws IOException when the file has none of that name
   */
  public Column column(String name) throws IOException {
    for (Column column : header.columns()) {
      if (column.name().equals(name)) {
        return column;
      }
    }
    throw new IOException(file + ": has no column " + name);
  }

  /** Value in a record; unsigned types are widened, uint64 keeps its bits. */
  public long value(Column column, long record) {
    ByteBuffer part = parts[(int) (record / recordsPerPart)];
    int at = (int) (record % recordsPerPart) * header.recordSize() + column.offset();
    return switch (column.type()) {
      case "uint8" -> part.get(at) & 0xFF;
      case "int16" -> part.getShort(at);
      case "uint16" -> part.getShort(at) & 0xFFFF;
      case "int32" -> part.getInt(at);
      case "uint32" -> part.getInt(at) & 0xFFFFFFFFL;
      default -> part.getLong(at);
    };
  }

  /**
   * Text of a coded value in a record.
   *
   * @throws IOException when the dictionary does not hold it
   */
  public String text(Column column, long record) throws IOException {
    List<String> dictionary =
        header.dictionaries().getOrDefault(String.valueOf(column.dictionary()), List.of());
    long code = value(column, record);
    if (code < 0 || code >= dictionary.size()) {
      throw new IOException(
          file + ": record " + record + " has an unknown " + column.name() + ", " + code);
    }
    String word = dictionary.get((int) code);
    boolean old = header.format() < MssfHeader.FORMAT && column.name().equals("outcome");
    return old && word.equals("aborted") ? OutcomeCode.UNFINISHED.text() : word;
  }
}
