package org.modelstress.harness.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.harness.server.ServerException.Exit;

/** A store appears whole or not at all, and what happened to its files is noticed. */
class SealedFolderTest {
  private static final Map<String, String> COMPONENTS = Map.of("Base", "1.0");

  @TempDir Path folder;

  private Path store() {
    return folder.resolve("store");
  }

  private SealedFolder sealed() {
    return new SealedFolder(store(), 3, COMPONENTS);
  }

  private void load(String text) throws IOException {
    Path loading = sealed().beginLoad();
    Files.createDirectories(loading.resolve("data/deep"));
    Files.writeString(loading.resolve("data/deep/one"), text);
    Files.writeString(loading.resolve(SealedFolder.IDS), "ids of " + text);
    sealed().endLoad("abc", 7, Map.of("names", List.of("x", "y")));
  }

  private List<String> names(Path path) throws IOException {
    try (Stream<Path> all = Files.walk(path)) {
      return all.filter(Files::isRegularFile)
          .map(each -> path.relativize(each).toString())
          .sorted()
          .toList();
    }
  }

  private void assertRefused(SealedFolder store, String part) {
    ServerException e =
        assertThrows(ServerException.class, () -> store.copyTo(folder.resolve("copy"), false));
    assertEquals(Exit.STORE, e.exit());
    assertTrue(e.getMessage().contains(part), e.getMessage());
    assertTrue(e.getMessage().contains("load"), "the remedy: " + e.getMessage());
  }

  @Test
  void aStoreIsCopiedWhole() throws Exception {
    load("first");
    SealedFolder.Description description = sealed().describe();
    assertEquals("abc", description.modelSha256());
    assertEquals(7, description.elements());
    assertEquals(Map.of("names", List.of("x", "y")), description.details());
    Path copy = Files.createDirectories(folder.resolve("copy"));
    Files.writeString(copy.resolve("old"), "of another store");
    sealed().copyTo(copy, false);
    assertEquals(List.of("data/deep/one", "ids.mssf"), names(copy));
    assertEquals("first", Files.readString(copy.resolve("data/deep/one")));
  }

  @Test
  void whatAKilledServerLeftIsResumed() throws Exception {
    load("first");
    Path copy = folder.resolve("copy");
    sealed().copyTo(copy, true);
    assertEquals("first", Files.readString(copy.resolve("data/deep/one")), "nothing was left");
    Files.writeString(copy.resolve("data/deep/one"), "torn");
    sealed().copyTo(copy, true);
    assertEquals("torn", Files.readString(copy.resolve("data/deep/one")));
    sealed().copyTo(copy, false);
    assertEquals("first", Files.readString(copy.resolve("data/deep/one")));
  }

  @Test
  void aSecondLoadReplacesTheFirst() throws Exception {
    load("first");
    Files.writeString(store().resolve("loaded.json"), "somebody else's");
    Path loading = sealed().beginLoad();
    assertRefused(sealed(), "No loaded store");
    Files.writeString(loading.resolve("torn"), "an interrupted load");
    load("second");
    assertEquals(List.of("data/deep/one", "ids.mssf", "loaded.json", "store.json"), names(store()));
    sealed().copyTo(folder.resolve("copy"), false);
    assertEquals("second", Files.readString(folder.resolve("copy/data/deep/one")));
    sealed().beginLoad();
    sealed().abandonLoad();
    assertFalse(Files.exists(store().resolve("loading")));
  }

  @Test
  void damageIsNoticed() throws Exception {
    assertRefused(sealed(), "run load first");
    load("text");
    Files.writeString(store().resolve("data/deep/one"), "tex");
    assertRefused(sealed(), "data/deep/one is missing or truncated");
    Files.writeString(store().resolve("data/deep/one"), "texT");
    assertRefused(sealed(), "checksum of data/deep/one");
    Files.delete(store().resolve("data/deep/one"));
    assertRefused(sealed(), "data/deep/one is missing");
    Files.writeString(store().resolve("data/deep/one"), "text");
    Path description = store().resolve("store.json");
    String whole = Files.readString(description);
    Files.writeString(description, whole.replace("\"ids.mssf\"", "\"../ids.mssf\""));
    assertRefused(sealed(), "outside");
    Files.writeString(description, "{\"version\": 3}");
    assertRefused(sealed(), "not complete");
    Files.writeString(description, "null");
    assertRefused(sealed(), "version 0");
    Files.writeString(description, "");
    assertRefused(sealed(), "version 0");
    Files.writeString(description, "{");
    assertRefused(sealed(), "not understood");
  }

  @Test
  void otherVersionsAreRefused() throws Exception {
    load("text");
    assertRefused(
        new SealedFolder(store(), 4, COMPONENTS), "is of version 3 and this is version 4");
    assertRefused(
        new SealedFolder(store(), 3, Map.of("Base", "2.0")),
        "is of version 3 (Base 1.0) and this is version 3 (Base 2.0)");
  }
}
