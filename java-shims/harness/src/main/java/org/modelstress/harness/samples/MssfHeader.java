package org.modelstress.harness.samples;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * What stands before the records of an MSSF file.
 *
 * @param recordSize bytes per record
 * @param format of the words of samples: 2; 0 in files that say nothing, in which {@code aborted}
 *     means what is {@code unfinished} now
 * @param columns the columns of a record
 * @param dictionaries texts that coded columns number, by dictionary name
 * @param meta anything worth knowing about the whole file
 */
public record MssfHeader(
    @JsonProperty("record_size") int recordSize,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) int format,
    List<Column> columns,
    Map<String, List<String>> dictionaries,
    Map<String, Object> meta) {
  /** Of the words of samples. */
  public static final int FORMAT = 2;

  static final int PREFIX = 12;
  private static final byte[] MAGIC = "MSSF".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION = 1;
  private static final int ALIGNMENT = 64;
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Magic, version, length and padded JSON, as they stand in the file. */
  byte[] toBytes() {
    byte[] json;
    try {
      json = JSON.writeValueAsBytes(this);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("header is not representable as JSON", e);
    }
    int size = (PREFIX + json.length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    byte[] bytes = new byte[size];
    Arrays.fill(bytes, (byte) ' ');
    ByteBuffer.wrap(bytes)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(MAGIC)
        .putInt(VERSION)
        .putInt(size - PREFIX)
        .put(json);
    return bytes;
  }

  /**
   * Length of the JSON, padding included, from the first 12 bytes of a file.
   *
   * @throws IOException when they are not those of an MSSF file of this version
   */
  static int jsonLength(ByteBuffer prefix, String file) throws IOException {
    prefix.order(ByteOrder.LITTLE_ENDIAN);
    byte[] magic = new byte[MAGIC.length];
    if (prefix.remaining() < PREFIX || !Arrays.equals(take(prefix, magic), MAGIC)) {
      throw new IOException(file + ": is not an MSSF file");
    }
    int version = prefix.getInt();
    if (version != VERSION) {
      throw new IOException(file + ": MSSF version " + version + ", only 1 is understood");
    }
    int length = prefix.getInt();
    if (length < 2) {
      throw new IOException(file + ": MSSF header length " + length + " is impossible");
    }
    return length;
  }

  /**
   * Reads the JSON part.
   *
   * @throws IOException when it is not a header, or a column does not fit into the record
   */
  static MssfHeader parse(byte[] json, String file) throws IOException {
    MssfHeader header;
    try {
      header = JSON.readValue(json, MssfHeader.class);
    } catch (JsonProcessingException e) {
      throw new IOException(file + ": MSSF header is damaged: " + e.getOriginalMessage(), e);
    }
    try {
      if (header.recordSize < 1 || header.columns == null || header.dictionaries == null) {
        throw new IllegalArgumentException("record_size, columns or dictionaries missing");
      }
      for (Column column : header.columns) {
        if (column.offset() < 0 || column.offset() + column.size() > header.recordSize) {
          throw new IllegalArgumentException("column " + column.name() + " outside the record");
        }
      }
    } catch (IllegalArgumentException e) {
      throw new IOException(file + ": MSSF header is damaged: " + e.getMessage(), e);
    }
    return header;
  }

  private static byte[] take(ByteBuffer from, byte[] to) {
    from.get(to);
    return to;
  }
}
