package org.modelstress.harness.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.modelstress.harness.Child;

class ServerMainTest {
  @TempDir Path folder;
  private Path store;

  @BeforeEach
  void prepare() throws Exception {
    store = Files.createDirectories(folder.resolve("store/inner"));
    Files.writeString(store.resolve("data"), "loaded");
    store = folder.resolve("store");
    Files.writeString(folder.resolve("model.xmi"), "<model/>");
  }

  private Path config(String options) throws Exception {
    Path file = folder.resolve("config.json");
    Files.writeString(
        file,
        """
        {"tool": "t", "backend": "b", "model": "%1$s/model.xmi", "store": "%1$s/store",
         "work": "%1$s/work", "bind": "127.0.0.1", "ports": {"tcp": 0}, "attributes": [],
         "options": {%2$s}}
        """
            .formatted(folder, options));
    return file;
  }

  private Child start(String command, Path config) throws Exception {
    return new Child(folder, TalkativeServer.class, command, "--config", config.toString());
  }

  @Test
  void loadReportsProgressAndEndsThoughThreadsRemain() throws Exception {
    try (Child child = start("load", config(""))) {
      assertEquals(0, child.exitCode());
      List<String> lines = child.rest();
      assertEquals("PROGRESS {\"done\": 1000, \"total\": 1000}", lines.get(lines.size() - 1));
      assertTrue(lines.stream().allMatch(l -> l.startsWith("PROGRESS ")), lines.toString());
      assertTrue(child.stderr().contains("library banner"));
    }
  }

  @Test
  void serveSaysReadyOnceWorksOnACopyAndStopsOnSigterm() throws Exception {
    try (Child child = start("serve", config(""))) {
      JsonNode ready = new ObjectMapper().readTree(child.expect("READY ").substring(6));
      assertEquals(child.process().pid(), ready.get("pid").asLong());
      assertEquals("tcp://127.0.0.1:1", ready.get("endpoints").get("tcp").asText());
      assertEquals("loaded", Files.readString(folder.resolve("work/store/inner/data")));
      assertFalse(Files.exists(store.resolve("changed")));
      child.process().destroy();
      assertEquals(143, child.exitCode());
      assertEquals(List.of(), child.rest());
      assertTrue(child.stderr().contains("closing"));
    }
  }

  @Test
  void aDatasetIsLoadedWithoutAModel() throws Exception {
    Path file = folder.resolve("config.json");
    Files.writeString(
        file,
        """
        {"tool": "t", "model": null, "store": "%s",
         "dataset": {"name": "accounts", "parameters": {"accounts": 20}}}
        """
            .formatted(store));
    try (Child child = start("load", file)) {
      assertEquals(0, child.exitCode(), child.stderr());
      assertTrue(child.stderr().contains("loads accounts {accounts=20}"), child.stderr());
    }
  }

  private Path nodes(String keys) throws Exception {
    Path file = folder.resolve("config.json");
    Files.writeString(
        file,
        """
        {"tool": "t", "store": null, "work": "%s/work", "bind": "127.0.0.1",
         "ports": {"tcp": 0}%s}
        """
            .formatted(folder, keys));
    return file;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "'' | node server is server with peers {}",
        "\"node\": \"reader-1\" | node reader-1 is reader-1 with peers {}",
        "\"node\": \"reader-1\", \"role\": \"reader\", \"peers\": {\"w\": {\"tcp\": \"tcp://a:1\"}}"
            + " | node reader-1 is reader with peers {w={tcp=tcp://a:1}}",
      })
  void aNodeWithoutAStoreStartsWithAnEmptyOne(String keys, String said) throws Exception {
    Files.createDirectories(folder.resolve("work/store"));
    Files.writeString(folder.resolve("work/store/old"), "of an earlier process");
    try (Child child = start("serve", nodes(keys.equals("''") ? "" : ", " + keys))) {
      child.expect("READY ");
      assertTrue(child.stderr().contains(said), child.stderr());
      try (Stream<Path> files = Files.list(folder.resolve("work/store"))) {
        assertEquals(List.of(folder.resolve("work/store/changed")), files.toList());
      }
    }
  }

  @Test
  void aServerThatNeedsALoadedStoreSaysSo() throws Exception {
    try (Child child = start("serve", nodes(", \"options\": {\"fail\": \"unloaded\"}"))) {
      assertEquals(2, child.exitCode());
      assertEquals("error: store: is missing, and t needs one", child.lastWord());
    }
  }

  @Test
  void aServerThatHangsWhileClosingIsHalted() throws Exception {
    try (Child child = start("serve", config("\"hang\": true"))) {
      child.expect("READY ");
      child.process().destroy();
      assertTrue(child.process().waitFor(20, TimeUnit.SECONDS), "halted after its deadline");
      assertEquals(143, child.process().exitValue());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "store | 4 | error: store is of version 9, reload it",
        "port | 5 | error: cannot listen on 127.0.0.1:1",
        "bind | 5 | error: cannot listen",
        "bug | 6 | error: unexpected: java.lang.IllegalArgumentException: a bug",
      })
  void failuresAreOneSentenceAndAnExitCode(String fail, int code, String sentence)
      throws Exception {
    try (Child child = start("serve", config("\"fail\": \"" + fail + "\""))) {
      assertEquals(code, child.exitCode());
      assertTrue(child.lastWord().startsWith(sentence), child.stderr());
      assertEquals(List.of(), child.rest());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "serve | {\"tool\": \"t\", \"colour\": 1} | 2 | colour: unknown key",
        "serve | {\"tool\": \"t\"} | 2 | work: is missing",
        "serve | {\"tool\": \"t\", \"store\": null} | 2 | work: is missing",
        "serve | {\"store\": null} | 2 | tool: is missing",
        "serve | {\"tool\": \"t\", \"node\": \"Writer 1\"} | 2 | node: 'Writer 1' is not",
        "serve | {\"tool\": \"t\", \"peers\": {\"a=b\": {}}} | 2 | peers: 'a=b' is not",
        "serve | {\"tool\": \"t\", \"peers\": {\"writer\": null}} | 2 | peers.writer: names no",
        "serve | {\"tool\": \"t\", \"peers\": {\"writer\": {\"tcp\": null}}} | 2 | peers.writer.tcp: is",
        "serve | {\"tool\": \"t\", \"peers\": {\"writer\": \"tcp://a:1\"}} | 2 | peers.writer",
        "serve | {\"tool\": \"t\", \"tool\": \"u\"} | 2 | Duplicate field",
        "serve | {\"tool\": \"t\", \"store\": 7 | 2 | config.json",
        "serve | {\"tool\":\"t\",\"store\":\"s\",\"work\":\"w\",\"bind\":\"b\",\"ports\":{}} | 2 | ports",
        "serve | {\"tool\":\"t\",\"store\":\"s\",\"work\":\"w\",\"bind\":\"b\",\"ports\":{\"x\":70000}} | 2 | ports.x",
        "serve | {\"tool\":\"t\",\"store\":\"/nowhere\",\"work\":\"w\",\"bind\":\"b\",\"ports\":{\"x\":0}} | 4 | /nowhere",
        "load | {\"tool\": \"t\", \"store\": \"s\"} | 2 | model: is missing: name a model or a dataset",
        "load | {\"tool\": \"t\", \"model\": \"m\"} | 2 | store: is missing",
        "load | {\"tool\": \"t\", \"dataset\": {\"name\": \"d\"}} | 2 | store: is missing",
        "load | {\"tool\": \"t\", \"store\": \"s\", \"dataset\": {}} | 2 | dataset.name: is missing",
        "load | {\"tool\": \"t\", \"store\": \"s\", \"dataset\": {\"size\": 1}} | 2 | dataset.size: unknown",
        "load | {\"tool\": \"t\", \"store\": \"s\", \"model\": \"/nowhere.xmi\"} | 3 | /nowhere.xmi",
      })
  void wrongConfigurationsNameFileAndField(String command, String json, int code, String part)
      throws Exception {
    Path file = folder.resolve("config.json");
    Files.writeString(file, json);
    try (Child child = start(command, file)) {
      assertEquals(code, child.exitCode(), child.stderr());
      assertTrue(child.lastWord().startsWith("error: "), child.stderr());
      assertTrue(child.lastWord().contains(part), child.lastWord());
      if (code == 2) {
        assertTrue(child.lastWord().contains(file.toString()), child.lastWord());
      }
    }
  }

  @Test
  void wrongArgumentsAreExitCodeTwo() throws Exception {
    for (String[] arguments : new String[][] {{}, {"fly"}, {"serve"}, {"serve", "--confg", "x"}}) {
      try (Child child = new Child(folder, TalkativeServer.class, arguments)) {
        assertEquals(2, child.exitCode());
        assertTrue(child.lastWord().startsWith("error: "), child.stderr());
      }
    }
  }
}
