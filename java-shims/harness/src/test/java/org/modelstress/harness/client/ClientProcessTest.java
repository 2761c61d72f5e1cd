package org.modelstress.harness.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.harness.Child;
import org.modelstress.harness.Main;
import org.modelstress.harness.samples.MssfReader;

/** The client as a process: the conversation, and every way in which it can end. */
@Timeout(60)
class ClientProcessTest {
  @TempDir Path folder;

  private Child client(String driver, int threads, Path out, String json) throws Exception {
    Path workload = folder.resolve("workload.json");
    Files.writeString(
        workload, "{\"operations\": [{\"name\": \"A\"}], \"timeout_ms\": 60000, " + json + "}");
    return client(driver, "" + threads, workload, out);
  }

  private Child client(String driver, String threads, Path workload, Path out) throws Exception {
    return new Child(
        folder,
        Main.class,
        "client",
        "--driver",
        driver,
        "--endpoint",
        "null://127.0.0.1",
        "--workload",
        workload.toString(),
        "--threads",
        threads,
        "--out",
        out.toString());
  }

  private static JsonNode json(String line) throws Exception {
    return new ObjectMapper().readTree(line.substring(line.indexOf(' ') + 1));
  }

  private static List<String> outcomes(Path file, String phase) throws Exception {
    MssfReader reader = MssfReader.open(file);
    List<String> outcomes = new ArrayList<>();
    for (long i = 0; i < reader.records(); i++) {
      String outcome = reader.text(reader.column("outcome"), i);
      if (!outcome.isEmpty() && reader.text(reader.column("phase"), i).equals(phase)) {
        outcomes.add(outcome);
      }
    }
    return outcomes;
  }

  @Test
  void theWholeConversation() throws Exception {
    Path out = folder.resolve("s.mssf");
    try (Child child =
        client(
            "flaky",
            2,
            out,
            "\"executions\": 300, \"options\": {\"error\": 0.1, \"latency_ms\": 2},"
                + " \"warmup\": {\"executions\": 20, \"seconds\": 0.1}")) {
      JsonNode ready = json(child.expect("READY"));
      assertEquals(child.process().pid(), ready.get("pid").asLong());
      long before = ready.get("clock_ns").asLong();
      child.say("PING");
      long pong = json(child.expect("PONG")).get("clock_ns").asLong();
      assertTrue(pong > before);
      child.say("WARM");
      JsonNode warmed = json(child.expect("WARMED"));
      assertTrue(warmed.get("executions").asLong() >= 20);
      assertTrue(warmed.get("seconds").asDouble() >= 0.1);
      child.say("nonsense");
      child.say("GO");
      child.say("PING");
      child.expect("PONG");
      long window = json(child.expect("WINDOW")).get("clock_ns").asLong();
      assertTrue(window > pong);
      JsonNode done = json(child.expect("DONE"));
      assertEquals(300, done.get("executions").asLong());
      assertEquals(0, child.exitCode(), "standard input still open");
      assertEquals(300, outcomes(out, "measure").size());
      assertEquals(outcomes(out, "cooldown").size(), done.get("cooldown").asLong());
      assertTrue(child.stderr().contains("nonsense"));
    }
  }

  @Test
  void goAloneWarmsUpFirstAndFailuresAreToldOnce() throws Exception {
    Path out = folder.resolve("s.mssf");
    try (Child child =
        client(
            "flaky",
            2,
            out,
            "\"executions\": 50, \"options\": {\"error\": 1},"
                + " \"warmup\": {\"executions\": 20, \"seconds\": 0}")) {
      child.say("GO");
      assertEquals(0, child.exitCode(), "whatever the outcomes");
      List<String> lines = child.rest();
      assertEquals(
          List.of(
              "DETAIL {\"operation\":\"A\",\"outcome\":\"error\",\"message\":\"injected error\"}"),
          lines.stream().filter(l -> l.startsWith("DETAIL")).toList());
      assertTrue(lines.stream().allMatch(l -> l.matches("[A-Z]+ \\{.*}")), lines.toString());
      assertTrue(outcomes(out, "warmup").size() >= 20);
      assertEquals(Collections.nCopies(50, "error"), outcomes(out, "measure"));
    }
  }

  @Test
  void killedClientLosesNothingThatItHadMeasured() throws Exception {
    Path out = folder.resolve("s.mssf");
    try (Child child =
        client(
            "flaky",
            3,
            out,
            "\"executions\": 1000000, \"options\": {\"latency_ms\": 1},"
                + " \"warmup\": {\"executions\": 0, \"seconds\": 0}")) {
      child.say("GO");
      long done = 0;
      while (done < 200) {
        JsonNode progress = json(child.expect("PROGRESS"));
        done = progress.get("done").asLong();
      }
      child.process().destroyForcibly().waitFor(10, TimeUnit.SECONDS);
      List<String> outcomes = outcomes(out, "measure");
      assertTrue(outcomes.size() >= done, outcomes.size() + " of " + done);
      assertEquals(Collections.nCopies(outcomes.size(), "ok"), outcomes);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TERM", "INT", "EOF"})
  void endingEarlyRecordsWhatIsUnderWayAsAborted(String how) throws Exception {
    Path out = folder.resolve("s.mssf");
    try (Child child =
        client(
            "flaky",
            3,
            out,
            "\"executions\": 100, \"options\": {\"hang\": 1},"
                + " \"warmup\": {\"executions\": 0, \"seconds\": 0}")) {
      child.say("GO");
      for (int i = 0; i < 3; i++) {
        child.expect("PROGRESS"); // more than a second later: all three are in the driver
      }
      if (how.equals("EOF")) {
        child.closeInput();
      } else {
        new ProcessBuilder("kill", "-" + how, "" + child.process().pid()).start().waitFor();
      }
      assertEquals(143, child.exitCode());
      assertEquals(Collections.nCopies(3, "unfinished"), outcomes(out, "measure"));
      assertFalse(child.rest().stream().anyMatch(l -> l.startsWith("DONE")));
    }
  }

  @Test
  void aServerThatHangsAgainAndAgainIsRestartedByTheController() throws Exception {
    Path out = folder.resolve("s.mssf");
    try (Child child =
        client(
            "flaky",
            2,
            out,
            "\"executions\": 20, \"options\": {\"hang\": 0.2},"
                + " \"warmup\": {\"executions\": 0, \"seconds\": 0}")) {
      child.say("GO");
      long told = 0;
      long answered = -1;
      String line = child.expect("");
      while (!line.startsWith("DONE")) {
        if (line.startsWith("HELD")) {
          told += json(line).get("timeouts").asLong();
          child.say("RESUME {\"endpoint\": \"null://127.0.0.1:2\"}");
        } else if (line.startsWith("PROGRESS") && json(line).get("under_way").asLong() > 0) {
          if (json(line).get("answered").asLong() == answered) {
            child.say("WEDGED {}"); // no reason: not of the contract
            child.say("WEDGED {\"reason\": \"it hangs\"}");
          }
          answered = json(line).get("answered").asLong();
        }
        line = child.expect("");
      }
      assertEquals(0, child.exitCode());
      List<String> measured = outcomes(out, "measure");
      List<String> cooldown = outcomes(out, "cooldown");
      int timeouts = Collections.frequency(measured, "timeout");
      assertTrue(timeouts > 0, "the seed must make some hang");
      assertEquals(20 - timeouts, Collections.frequency(measured, "ok"));
      assertEquals(told, timeouts + Collections.frequency(cooldown, "timeout"));
      assertTrue(child.stderr().contains("not understood (no reason)"), child.stderr());
    }
  }

  @Test
  void endOfInputBeforeGoEndsTheClientToo() throws Exception {
    Path out = folder.resolve("s.mssf");
    try (Child child = client("null", 2, out, "\"executions\": 100")) {
      child.expect("READY");
      child.closeInput();
      assertEquals(143, child.exitCode());
      assertEquals(0, MssfReader.open(out).records());
    }
  }

  @Test
  void aFullDiskIsOneSentenceAndKeepsWhatWasMeasured() throws Exception {
    Path small = Files.createDirectory(folder.resolve("small"));
    assumeTrue(
        mount("-t", "tmpfs", "-o", "size=6m", "tmpfs", small.toString()),
        "needs the right to mount a small tmpfs");
    try {
      Path out = small.resolve("s.mssf");
      try (Child child =
          client(
              "null",
              2,
              out,
              "\"executions\": 1000000, \"warmup\": {\"executions\": 200, \"seconds\": 0}")) {
        child.say("GO");
        assertEquals(7, child.exitCode(), child.stderr());
        assertTrue(child.lastWord().startsWith("error: " + out), child.stderr());
        assertTrue(child.lastWord().contains("No space left"), child.stderr());
        // read a copy: a mapping in this process would keep the file system busy
        Path copy = Files.copy(out, folder.resolve("copy.mssf"));
        assertTrue(outcomes(copy, "warmup").size() > 100, "what was measured is readable");
      }
    } finally {
      new ProcessBuilder("umount", small.toString()).inheritIO().start().waitFor();
    }
  }

  private static boolean mount(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("mount"));
    command.addAll(List.of(arguments));
    try {
      return new ProcessBuilder(command).start().waitFor() == 0;
    } catch (java.io.IOException e) {
      return false;
    }
  }

  @Test
  void mistakesAreExitCodeTwoAndNameTheRemedy() throws Exception {
    Path workload = folder.resolve("w.json");
    Files.writeString(
        workload, "{\"operations\": [{\"name\": \"A\"}], \"executions\": 1, \"timeout_ms\": 1}");
    Path taken = Files.createFile(folder.resolve("taken.mssf"));
    Path free = folder.resolve("free.mssf");
    try (Child driver = client("nil", "1", workload, free);
        Child threads = client("null", "0", workload, free);
        Child file = client("null", "1", folder.resolve("none.json"), free);
        Child exists = client("null", "1", workload, taken);
        Child usage = new Child(folder, Main.class, "client")) {
      wrong(driver, "--driver: nil is not on the class path; there: [flaky, null]");
      wrong(threads, "--threads: 0");
      wrong(file, "none.json: there is no such file");
      wrong(exists, "taken.mssf exists");
      wrong(usage, "usage: client");
    }
    assertFalse(Files.exists(free));
  }

  private static void wrong(Child child, String part) throws Exception {
    assertEquals(2, child.exitCode());
    assertTrue(child.lastWord().startsWith("error: "), child.stderr());
    assertTrue(child.lastWord().contains(part), child.lastWord());
  }
}
