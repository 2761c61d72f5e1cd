package org.modelstress.harness.samples;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Writes {@code ids.mssf}: which element of the model has which identifier in the store. */
public final class IdsFile {
  static final int RECORD_SIZE = 16;

  private IdsFile() {}

  /** Writes the file of a store whose identifiers are the indices themselves. */
  public static void writeIndices(Path file, long elements) throws IOException {
    try (Writer ids = ofLongs(file)) {
      for (long index = 0; index < elements; index++) {
        ids.put(index, index);
      }
    }
  }

  /** Receives the pairs one by one; the file appears under its name when closed, never before. */
  public static final class Writer implements AutoCloseable {
    private final Path file;
    private final Path temporary;
    private final FileChannel channel;
    private final ByteBuffer buffer =
        ByteBuffer.allocate(RECORD_SIZE * 4096).order(ByteOrder.LITTLE_ENDIAN);
    // only for text: the header, which holds the texts, cannot be written before the last of them
    private final List<String> texts;
    private final List<Long> indices;
    private boolean abandoned;

    private Writer(Path file, boolean text) throws IOException {
      this.file = file;
      this.temporary = file.resolveSibling(file.getFileName() + ".tmp");
      this.texts = text ? new ArrayList<>() : null;
      this.indices = text ? new ArrayList<>() : null;
      this.channel =
          FileChannel.open(
              temporary,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE);
      if (!text) {
        writeAll(ByteBuffer.wrap(header("int64", Map.of()).toBytes()));
      }
    }

    /** The element with this index (containment order, the root is 0) has this identifier. */
    public void put(long id, long index) throws IOException {
      if (texts != null) {
        throw new IllegalStateException(file + " holds text identifiers");
      }
      record(id, index);
    }

    /** The element with this index (containment order, the root is 0) has this identifier. */
    public void put(String id, long index) {
      if (texts == null) {
        throw new IllegalStateException(file + " holds whole-number identifiers");
      }
      texts.add(id);
      indices.add(index);
    }

    /** Gives up: {@link #close} then leaves no file. For callers that fail half way. */
    public void abandon() {
      abandoned = true;
    }

    @Override
    public void close() throws IOException {
      try (channel) {
        if (!abandoned) {
          finish();
        }
      } catch (IOException e) {
        abandoned = true;
        throw e;
      } finally {
        if (abandoned) {
          Files.deleteIfExists(temporary);
        }
      }
      if (!abandoned) {
        rename();
      }
    }

    private void finish() throws IOException {
      if (texts != null) {
        writeAll(ByteBuffer.wrap(header("uint32", Map.of("id", texts)).toBytes()));
        for (int i = 0; i < texts.size(); i++) {
          record(i, indices.get(i));
        }
      }
      writeAll(buffer.flip());
      channel.force(true);
    }

    private void rename() throws IOException {
      try {
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
      } catch (AtomicMoveNotSupportedException e) {
        Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
      }
    }

    private void record(long id, long index) throws IOException {
      if (!buffer.hasRemaining()) {
        writeAll(buffer.flip());
        buffer.clear();
      }
      buffer.putLong(id).putLong(index);
    }

    private void writeAll(ByteBuffer bytes) throws IOException {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
  }

  /** A writer for identifiers that are whole numbers. */
  public static Writer ofLongs(Path file) throws IOException {
    return new Writer(file, false);
  }

  /** A writer for identifiers that are text; all of them are held in memory until closed. */
  public static Writer ofStrings(Path file) throws IOException {
    return new Writer(file, true);
  }

  /**
   * Reads a file written here or by a tool in another language.
   *
   * @throws IOException with one sentence when it is missing, damaged or names an identifier twice
   */
  public static ElementIds read(Path file) throws IOException {
    return ElementIds.from(MssfReader.open(file), file);
  }

  private static MssfHeader header(String type, Map<String, List<String>> dictionaries) {
    String dictionary = dictionaries.isEmpty() ? null : "id";
    return new MssfHeader(
        RECORD_SIZE,
        0,
        List.of(new Column("id", type, 0, null, dictionary), Column.number("index", "int64", 8)),
        dictionaries,
        Map.of());
  }
}
