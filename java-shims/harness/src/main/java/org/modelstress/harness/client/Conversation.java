package org.modelstress.harness.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.modelstress.harness.config.ConfigException;
import org.modelstress.harness.server.ConsoleStreams;
import org.modelstress.harness.server.Ending;

/**
 * The conversation with the controller, one line each way. Whoever ends it first, the last
 * execution, the end of standard input or a signal, decides how the file is closed.
 */
final class Conversation implements LoadGenerator.Listener {
  private static final JsonMapper JSON = new JsonMapper();
  private static final long PROGRESS_NS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long CLOSING_MILLIS = 2000;
  private static final long ABORTING_MILLIS = 4000;
  private static final int TERMINATED = 143;

  private final ConsoleStreams streams;
  private final LoadGenerator generator;
  private final Failures failures;
  private final BlockingQueue<String> commands = new LinkedBlockingQueue<>();
  private final AtomicBoolean ending = new AtomicBoolean();
  private long nextProgressNs;
  private final boolean sliced;
  private boolean warmUpAlone;
  private long executions;
  private long cooldown;

  Conversation(ConsoleStreams streams, LoadGenerator generator, Failures failures) {
    this.streams = streams;
    this.generator = generator;
    this.failures = failures;
    this.sliced = generator.slicesLeft() > 1;
  }

  /**
   * Holds the conversation until everything is measured and the file closed. When it ends otherwise
   * (end of input, signal) the process is halted with exit code 143, and this does not return.
   */
  void hold(InputStream in) throws Exception {
    Runtime.getRuntime().addShutdownHook(new Thread(this::terminate, "terminate"));
    Thread reader = new Thread(() -> read(in), "controller");
    reader.setDaemon(true);
    generator.start();
    say("READY", fields("pid", ProcessHandle.current().pid(), "clock_ns", System.nanoTime()));
    reader.start();
    try {
      obey();
    } catch (LoadGenerator.StoppedException e) {
      giveUp(e.getCause());
    } catch (RuntimeException e) {
      giveUp(e);
    }
  }

  private void obey() throws Exception {
    boolean warm = false;
    while (true) {
      String command = commands.take();
      if (command.equals("WARM")) {
        warmUpAlone = false;
        generator.warmUp(this);
        warm = true;
      } else if (command.equals("GO")) {
        if (!warm) {
          warmUpAlone = true;
          while (generator.warmUpsLeft() > 0) {
            generator.warmUp(this);
          }
        }
        warm = true;
        if (slice()) {
          return;
        }
      } else if (command.equals("PAUSE")) {
        say("PAUSED", fields()); // what a warm-up's rule had going on has ended
      } else {
        System.err.println("not understood: " + command);
      }
    }
  }

  /** Measures one slice of the window; whether it was the last. */
  private boolean slice() throws Exception {
    LoadGenerator.Result result = generator.measure(this);
    executions += result.executions();
    cooldown += result.cooldown();
    if (sliced) {
      say("SLICED", fields("executions", result.executions(), "cooldown", result.cooldown()));
    }
    if (generator.slicesLeft() > 0) {
      return false;
    }
    finish();
    return true;
  }

  /** Locked, like {@link #hold}: the HELD that ended the last executions comes before DONE. */
  private synchronized void finish() throws Exception {
    if (!ending.compareAndSet(false, true)) {
      waitForHalt();
    }
    generator.close(CLOSING_MILLIS);
    tellFailures();
    say("DONE", fields("executions", executions, "cooldown", cooldown));
  }

  /** A thread met a failure (the cause), or the end of the process has begun (no cause). */
  private void giveUp(Throwable cause) throws Exception {
    if (cause == null || !ending.compareAndSet(false, true)) {
      waitForHalt();
    }
    try {
      generator.abort();
    } catch (IOException | RuntimeException e) {
      cause.addSuppressed(e);
    }
    if (cause instanceof Exception e) {
      throw e;
    }
    throw (Error) cause;
  }

  private static void waitForHalt() throws InterruptedException {
    new CountDownLatch(1).await();
  }

  private void read(InputStream in) {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        hear(line.strip());
      }
    } catch (IOException e) {
      System.err.println("standard input is broken: " + e.getMessage());
    }
    terminate();
  }

  /** What must be answered while load runs is answered here. */
  private void hear(String line) {
    String word = line.split(" ", 2)[0];
    switch (word) {
      case "" -> {}
      case "PING" -> say("PONG", fields("clock_ns", System.nanoTime()));
      case "WEDGED" -> {
        String reason = field(line, "reason");
        if (reason != null) {
          hold(reason);
        }
      }
      case "RESUME" -> {
        resume(line);
      }
      default -> commands.add(line);
    }
  }

  private synchronized void hold(String reason) {
    say("HELD", fields("timeouts", generator.hold(reason)));
  }

  private void resume(String line) {
    try {
      generator.resume(Addresses.restarted(line.substring(line.indexOf(' ') + 1)));
    } catch (ConfigException | IllegalArgumentException e) {
      System.err.println("not understood: " + line + ": " + e.getMessage());
    }
  }

  /** A text of the object after a word; null, and a line on stderr, when it is not there. */
  private static String field(String line, String name) {
    try {
      JsonNode object = JSON.readTree(line.substring(line.indexOf(' ') + 1));
      if (object.path(name).isTextual()) {
        return object.path(name).textValue();
      }
    } catch (JsonProcessingException e) {
      // said below
    }
    System.err.println("not understood (no " + name + "): " + line);
    return null;
  }

  /** End of input or a signal: keep what was measured, record the rest as unfinished, be gone. */
  private void terminate() {
    if (!ending.compareAndSet(false, true)) {
      return;
    }
    // a controller that no longer reads would hold us up while we tell it the last failures
    Ending.haltAfter(ABORTING_MILLIS, TERMINATED);
    try {
      generator.abort();
      tellFailures();
    } catch (IOException | RuntimeException e) {
      streams.lastWord("closing the sample file failed: " + e.getMessage());
    }
    Runtime.getRuntime().halt(TERMINATED);
  }

  @Override
  public void warmed(LoadGenerator.Result result, LoadGenerator.Verdict verdict) {
    tellFailures();
    if (warmUpAlone) {
      return; // nobody asked
    }
    Map<String, Object> fields =
        fields("executions", result.executions(), "seconds", result.seconds());
    if (verdict != null) {
      fields.put("steady", verdict.steady());
      fields.put("change", Double.isNaN(verdict.change()) ? null : verdict.change());
    }
    say("WARMED", fields);
  }

  @Override
  public boolean released() {
    String next = commands.peek();
    return warmUpAlone || "GO".equals(next) || "PAUSE".equals(next);
  }

  @Override
  public void progress(LoadGenerator.Progress progress) {
    tellFailures();
    long now = System.nanoTime();
    if (now - nextProgressNs >= 0 && !ending.get()) {
      nextProgressNs = now + PROGRESS_NS;
      say(
          "PROGRESS",
          fields(
              "phase",
              progress.phase().text(),
              "done",
              progress.done(),
              "total",
              progress.total(),
              "unit",
              progress.unit(),
              "answered",
              progress.answered(),
              "under_way",
              progress.underWay()));
    }
  }

  @Override
  public void windowEnded(long clockNs) {
    say("WINDOW", fields("clock_ns", clockNs));
  }

  private void tellFailures() {
    Failures.Detail detail;
    while ((detail = failures.poll()) != null) {
      say(
          "DETAIL",
          fields(
              "operation",
              detail.operation(),
              "outcome",
              detail.outcome(),
              "message",
              detail.message()));
    }
  }

  private static Map<String, Object> fields(Object... pairs) {
    Map<String, Object> fields = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      fields.put((String) pairs[i], pairs[i + 1]);
    }
    return fields;
  }

  private void say(String word, Map<String, Object> fields) {
    try {
      streams.say(word + " " + JSON.writeValueAsString(fields));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
