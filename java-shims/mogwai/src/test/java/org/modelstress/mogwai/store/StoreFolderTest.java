package org.modelstress.mogwai.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.models.ModelException;

/** Stores that are loaded, interrupted, damaged and copied. */
@Timeout(240)
class StoreFolderTest {
  @TempDir Path folder;

  private Path store() {
    return folder.resolve("store");
  }

  private void load() throws Exception {
    new StoreFolder(store()).load(StoreProgram.source(StoreProgram.model()), (done, total) -> {});
  }

  private void copyAndOpen() throws ServerException, IOException {
    StoreFolder.Copy copy = new StoreFolder(store()).copyTo(folder.resolve("copy"), false);
    NeoEmfGraph.open(copy.graph(), copy.metamodels(), StoreOptions.DEFAULT).close();
  }

  private List<String> names() throws IOException {
    try (Stream<Path> entries = Files.list(store())) {
      return entries.map(each -> each.getFileName().toString()).sorted().toList();
    }
  }

  private void assertRefused(String part) {
    ServerException e = assertThrows(ServerException.class, this::copyAndOpen);
    assertEquals(Exit.STORE, e.exit());
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }

  @Test
  void aKilledLoadCanBeRepeated() throws Exception {
    Process program = StoreProgram.start(List.of(), "stall", store());
    try (BufferedReader out = program.inputReader()) {
      assertEquals("loading", out.readLine());
    } finally {
      program.destroyForcibly();
    }
    assertTrue(program.waitFor(30, TimeUnit.SECONDS));
    assertEquals(List.of("loading"), names());
    assertRefused("run load first");
    load();
    assertEquals(List.of("graph", "ids.mssf", "metamodels.ecore", "store.json"), names());
    copyAndOpen();
  }

  @Test
  void aFullDiskIsToldAndLeavesNothing() throws Exception {
    // a limit on the size of files fails where a full disk would
    Process program = StoreProgram.start(List.of("prlimit", "--fsize=400000"), "load", store());
    String said;
    try (BufferedReader out = program.inputReader()) {
      said = String.valueOf(out.readLine());
      assertTrue(program.waitFor(60, TimeUnit.SECONDS), "the program ends");
    } finally {
      program.destroyForcibly();
    }
    assertTrue(said.contains("cannot be written: File too large"), said);
    assertEquals(6, program.exitValue());
    assertEquals(List.of(), names());
  }

  @Test
  void aModelThatCannotBeStoredLeavesNothing() throws Exception {
    EClass odd = Zoo.newClass(Zoo.newPackage("odd", "http://modelstress.test/odd"), "Odd", false);
    EObject lost = EcoreUtil.create(odd);
    lost.eSet(Zoo.reference(odd, odd, "target", 1), EcoreUtil.create(odd));
    StoreFolder store = new StoreFolder(store());
    assertThrows(
        ModelException.class, () -> store.load(StoreProgram.source(lost), (done, total) -> {}));
    assertEquals(List.of(), names());
    load();
    copyAndOpen();
  }

  @Test
  void damagedStoresAreRefused() throws Exception {
    load();
    Path file = store().resolve("graph/neostore.propertystore.db");
    byte[] whole = Files.readAllBytes(file);
    byte[] flipped = whole.clone();
    flipped[whole.length / 2] ^= 1;
    Files.write(file, flipped);
    assertRefused("checksum of graph/neostore.propertystore.db");
    Files.write(file, Arrays.copyOf(whole, whole.length / 2));
    assertRefused("truncated");
    Files.write(file, whole);
    copyAndOpen();

    Path description = store().resolve("store.json");
    String text = Files.readString(description);
    Files.writeString(description, text.replace("1.9.6", "1.9.9"));
    assertRefused("Neo4j 1.9.9");
    Files.writeString(description, text.replaceFirst("\"version\" : \\d+", "\"version\" : 999"));
    assertRefused("version 999");
    Files.writeString(description, "{}");
    assertRefused("version 0");
    Files.writeString(description, text.replace("\"files\"", "\"fils\""));
    assertRefused("not understood");
  }

  @Test
  void openingACopyLeavesTheStoreAlone() throws Exception {
    load();
    Path settings = store().resolve("graph/config.properties");
    String before = Files.readString(settings);
    copyAndOpen();
    copyAndOpen(); // over the first copy
    assertEquals(before, Files.readString(settings));
    assertRefusedAfterDeleting("ids.mssf");
  }

  private void assertRefusedAfterDeleting(String name) throws IOException {
    Files.delete(store().resolve(name));
    assertRefused(name + " is missing");
  }
}
