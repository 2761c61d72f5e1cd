package org.modelstress.harness.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IdsFileTest {
  @TempDir Path folder;

  @Test
  void numbersComeBack() throws Exception {
    Path file = folder.resolve("ids.mssf");
    int count = 100_000;
    try (IdsFile.Writer writer = IdsFile.ofLongs(file)) {
      for (int i = 0; i < count; i++) {
        writer.put(id(i), i);
      }
      assertFalse(Files.exists(file), "nothing under its name before it is complete");
    }
    ElementIds ids = IdsFile.read(file);
    for (int i = 0; i < count; i++) {
      assertEquals(i, ids.indexOf(id(i)));
    }
    assertEquals(ElementIds.UNKNOWN, ids.indexOf(7));
    assertEquals(0, ids.indexOf(id(0)));
  }

  /** Dense at both ends of the range, with 0 among them: hard for a table with a special key. */
  private static long id(int i) {
    return i % 2 == 0 ? i * 1000L : Long.MIN_VALUE + i;
  }

  @Test
  void textsComeBack() throws Exception {
    Path file = folder.resolve("ids.mssf");
    try (IdsFile.Writer writer = IdsFile.ofStrings(file)) {
      writer.put("/0/@region.1", 1);
      writer.put("\"quoted\" ü", 0);
    }
    ElementIds ids = IdsFile.read(file);
    assertEquals(1, ids.indexOf("/0/@region.1"));
    assertEquals(0, ids.indexOf("\"quoted\" ü"));
    assertEquals(ElementIds.UNKNOWN, ids.indexOf("nobody"));
    assertEquals("uint32", MssfReader.open(file).column("id").type());
  }

  @Test
  void emptyFileKnowsNobody() throws Exception {
    Path file = folder.resolve("ids.mssf");
    IdsFile.ofLongs(file).close();
    assertEquals(ElementIds.UNKNOWN, IdsFile.read(file).indexOf(0));
  }

  @Test
  void abandonedWriterLeavesNothing() throws Exception {
    try (IdsFile.Writer writer = IdsFile.ofLongs(folder.resolve("ids.mssf"))) {
      writer.put(1, 1);
      writer.abandon();
    }
    try (var left = Files.list(folder)) {
      assertEquals(0, left.count());
    }
  }

  @Test
  void sameIdentifierTwiceIsRefused() throws Exception {
    Path file = folder.resolve("ids.mssf");
    try (IdsFile.Writer writer = IdsFile.ofLongs(file)) {
      writer.put(77, 0);
      writer.put(77, 1);
    }
    IOException e = assertThrows(IOException.class, () -> IdsFile.read(file));
    assertTrue(e.getMessage().contains("77 occurs twice"), e.getMessage());
  }

  @Test
  void damagedFilesAreNamed() throws Exception {
    Path file = folder.resolve("ids.mssf");
    Files.writeString(file, "not at all");
    IOException notMssf = assertThrows(IOException.class, () -> IdsFile.read(file));
    assertTrue(notMssf.getMessage().contains("is not an MSSF file"), notMssf.getMessage());
    try (IdsFile.Writer writer = IdsFile.ofLongs(file)) {
      writer.put(1, 1);
    }
    byte[] whole = Files.readAllBytes(file);
    Files.write(file, java.util.Arrays.copyOf(whole, 40));
    IOException cut = assertThrows(IOException.class, () -> IdsFile.read(file));
    assertTrue(cut.getMessage().contains("truncated"), cut.getMessage());
  }
}
