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
        "serve | {\"tool\": \"t\"} | 2 | store: is missing",
        "serve | {\"tool\": \"t\", \"tool\": \"u\"} | 2 | Duplicate field",
        "serve | {\"tool\": \"t\", \"store\": 7 | 2 | config.json",
        "serve | {\"tool\":\"t\",\"store\":\"s\",\"work\":\"w\",\"bind\":\"b\",\"ports\":{}} | 2 | ports",
        "serve | {\"tool\":\"t\",\"store\":\"s\",\"work\":\"w\",\"bind\":\"b\",\"ports\":{\"x\":70000}} | 2 | ports.x",
        "serve | {\"tool\":\"t\",\"store\":\"/nowhere\",\"work\":\"w\",\"bind\":\"b\",\"ports\":{\"x\":0}} | 4 | /nowhere",
        "load | {\"tool\": \"t\", \"store\": \"s\"} | 2 | model: is missing",
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
