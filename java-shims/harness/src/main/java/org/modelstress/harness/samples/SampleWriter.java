package org.modelstress.harness.samples;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes samples into a memory-mapped MSSF file: one slot per execution, no lock, no allocation.
 * The outcome goes in last with release semantics, so whoever sees it sees the whole record, and a
 * process that is killed loses nothing that it had measured.
 */
public final class SampleWriter implements AutoCloseable {
  /** Bytes per record. */
  public static final int RECORD_SIZE = 96;

  private static final int INVOCATION = 0;
  private static final int CLIENT = 2;
  private static final int THREAD = 4;
  private static final int OPERATION = 6;
  private static final int INTENDED_START = 8;
  private static final int START = 16;
  private static final int DURATION = 24;
  private static final int VERIFY = 32;
  private static final int DIGEST = 40;
  private static final int BYTES_SENT = 48;
  private static final int BYTES_RECEIVED = 56;
  private static final int ITEMS = 64;
  private static final int RESULT_COUNT = 68;
  private static final int SEQUENCE = 72;
  private static final int ATTEMPTS = 76;
  private static final int OUTCOME = 84;
  private static final int PHASE = 85;
  private static final int THINK = 88;

  private static final VarHandle INT =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final MappedRecords records;
  private final short invocation;
  private final short client;

  /**
   * Creates the file.
   *
   * @param operations names of the workload's operations, in its order
   * @throws IOException when the file exists or cannot be created
   */
  public SampleWriter(
      Path file, int invocation, int client, List<String> operations, Map<String, Object> meta)
      throws IOException {
    this.invocation = (short) invocation;
    this.client = (short) client;
    this.records = new MappedRecords(file, header(operations, meta));
  }

  /** The header of a sample file. */
  public static MssfHeader header(List<String> operations, Map<String, Object> meta) {
    List<Column> columns =
        List.of(
            Column.number("invocation", "int16", INVOCATION),
            Column.number("client", "int16", CLIENT),
            Column.number("thread", "int16", THREAD),
            Column.coded("operation", "uint16", OPERATION),
            Column.nanos("intended_start_ns", INTENDED_START),
            Column.nanos("start_ns", START),
            Column.nanos("duration_ns", DURATION),
            Column.nanos("verify_ns", VERIFY),
            Column.number("result_digest", "uint64", DIGEST),
            new Column("bytes_sent", "int64", BYTES_SENT, "B", null),
            new Column("bytes_received", "int64", BYTES_RECEIVED, "B", null),
            Column.number("items", "int32", ITEMS),
            Column.number("result_count", "int32", RESULT_COUNT),
            Column.number("sequence", "int32", SEQUENCE),
            Column.number("attempts", "uint16", ATTEMPTS),
            Column.nanos("think_ns", THINK),
            Column.coded("outcome", "uint8", OUTCOME),
            Column.coded("phase", "uint8", PHASE));
    Map<String, List<String>> dictionaries = new TreeMap<>();
    dictionaries.put("operation", operations);
    dictionaries.put(
        "outcome", Arrays.stream(OutcomeCode.values()).map(OutcomeCode::text).toList());
    dictionaries.put("phase", Arrays.stream(Phase.values()).map(Phase::text).toList());
    return new MssfHeader(
        RECORD_SIZE, MssfHeader.FORMAT, columns, dictionaries, new TreeMap<>(meta));
  }

  /**
   * Makes sure that the first {@code slots} records can be written without the file growing.
   *
   * @throws FileFullException when the disk is full
   */
  public void reserve(long slots) {
    if (slots > 0) {
      records.chunk(slots - 1);
    }
  }

  /**
   * Claims a slot before an execution begins, so that the file never grows while a clock runs.
   *
   * @throws FileFullException when the disk is full
   */
  public void claim(long slot) {
    records.chunk(slot);
  }

  /** Writes the record of a claimed slot; each slot is written once, by one thread. */
  public void write(long slot, Sample sample) {
    ByteBuffer chunk = records.chunk(slot);
    int at = records.offset(slot);
    chunk.putShort(at + INVOCATION, invocation);
    chunk.putShort(at + CLIENT, client);
    chunk.putShort(at + THREAD, (short) sample.thread);
    chunk.putShort(at + OPERATION, (short) sample.operation);
    chunk.putLong(at + INTENDED_START, sample.intendedStartNs);
    chunk.putLong(at + START, sample.startNs);
    chunk.putLong(at + DURATION, sample.durationNs);
    chunk.putLong(at + VERIFY, sample.verifyNs);
    chunk.putLong(at + DIGEST, sample.resultDigest);
    chunk.putLong(at + BYTES_SENT, sample.bytesSent);
    chunk.putLong(at + BYTES_RECEIVED, sample.bytesReceived);
    chunk.putInt(at + ITEMS, sample.items);
    chunk.putInt(at + RESULT_COUNT, sample.resultCount);
    chunk.putInt(at + SEQUENCE, sample.sequence);
    chunk.putShort(at + ATTEMPTS, (short) sample.attempts);
    chunk.putLong(at + THINK, sample.thinkNs);
    // phase shares the word: a byte cannot be stored with release semantics
    INT.setRelease(chunk, at + OUTCOME, sample.outcome.ordinal() | sample.phase.ordinal() << 8);
  }

  /**
   * Cuts the file behind the last claimed slot and closes it. No other call may be under way.
   *
   * @param slots how many slots were given out
   */
  public void close(long slots) throws IOException {
    records.close(slots);
  }

  /** Closes the file and leaves its reserved end in place. */
  @Override
  public void close() throws IOException {
    records.close(Long.MAX_VALUE);
  }
}
