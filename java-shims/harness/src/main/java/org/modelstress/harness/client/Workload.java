package org.modelstress.harness.client;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.nio.file.Path;
import java.util.IllegalFormatException;
import java.util.List;
import java.util.Map;
import org.modelstress.harness.config.ConfigException;
import org.modelstress.harness.config.JsonFile;

/**
 * What one client process does: the file given to {@code client --workload}, after {@code
 * docs/contracts.md}. What is optional there may be null until {@link #read} has filled it in.
 */
public record Workload(
    Integer invocation,
    Integer client,
    Long seed,
    List<Entry> operations,
    Mode mode,
    WarmUp warmup,
    List<String> order,
    Integer executions,
    Window window,
    Integer slices,
    Long timeoutMs,
    Connection connection,
    String uniqueCondition,
    Path ids,
    Samples samples,
    Map<String, Object> options) {
  /** Where a text is made unique. */
  public static final String UNIQUE_MARKER = "/*unique*/";

  /** Numbers of executions are 64 apart in each of at most 64 clients, to be unique among them. */
  static final int MAX_CLIENTS = 64;

  private static final int MAX_EXECUTIONS = 1_000_000_000;
  private static final int MAX_SLICES = 1000;
  private static final double MOST_S = 86_400;

  /** One operation and how often it comes. */
  public record Entry(
      String name,
      String text,
      Double weight,
      Integer arity,
      Map<String, Object> parameters,
      Double thinkMs,
      Boolean objects) {}

  /**
   * Another end of the measured window than after so many executions: seconds or objects.
   *
   * @param perThread it lasts longer until so many executions of each thread have begun
   * @param mostS but no longer than so many seconds
   */
  public record Window(Double seconds, Integer objects, Integer perThread, Double mostS) {}

  /** Closed loop, or open loop with a rate in executions per second of this process. */
  public record Mode(Kind kind, Double ratePerS, Arrivals arrivals) {
    boolean open() {
      return kind == Kind.OPEN;
    }
  }

  /**
   * Least number of executions, least seconds, and threads that a cold server meets first.
   *
   * @param steady when it ends then; null: at once
   */
  public record WarmUp(Integer executions, Double seconds, Integer threads, Steady steady) {}

  /** It ends when latencies change by no more than a fraction, or after so many seconds. */
  public record Steady(Double within, Double mostS) {}

  /** Loop kinds. */
  public enum Kind {
    @JsonProperty("closed")
    CLOSED,
    @JsonProperty("open")
    OPEN
  }

  /** Arrival processes of the open loop. */
  public enum Arrivals {
    @JsonProperty("constant")
    CONSTANT,
    @JsonProperty("poisson")
    POISSON
  }

  /** How long a session lives. */
  public enum Connection {
    @JsonProperty("per-execution")
    PER_EXECUTION,
    @JsonProperty("reused")
    REUSED
  }

  /** What is written down. */
  public enum Samples {
    @JsonProperty("rows")
    ROWS,
    @JsonProperty("histogram")
    HISTOGRAM
  }

  /**
   * Reads and checks a workload file and fills in what was left out.
   *
   * @throws ConfigException with one sentence naming file, field and remedy
   */
  public static Workload read(Path file) throws ConfigException {
    Workload workload = JsonFile.read(file, Workload.class).complete();
    new Checker(file).check(workload);
    return workload;
  }

  /** One slice of the warm-up; the first begins with few threads, later ones have all of them. */
  WarmUp warmUp(int slice) {
    Steady steady = warmup.steady;
    return new WarmUp(
        share(warmup.executions, slice),
        warmup.seconds / slices,
        slice == 0 ? warmup.threads : Integer.MAX_VALUE,
        steady == null ? null : new Steady(steady.within, steady.mostS / slices));
  }

  /** When one slice of the measured window of so many threads ends; slices count from 0. */
  Stage.Goal goal(int threads, int slice) {
    if (window == null) {
      return Stage.Goal.executions(share(executions, slice), 0);
    }
    if (window.seconds == null) {
      return Stage.Goal.objects(share(window.objects, slice));
    }
    long least = (window.perThread + slices - 1) / slices * (long) threads;
    return Stage.Goal.seconds(window.seconds / slices, least, window.mostS / slices);
  }

  /** Of a number, what one slice has; the first ones have what does not divide. */
  private int share(int number, int slice) {
    return number / slices + (slice < number % slices ? 1 : 0);
  }

  private Workload complete() {
    return new Workload(
        or(invocation, 0),
        or(client, 0),
        or(seed, 0L),
        operations == null ? null : operations.stream().map(Workload::complete).toList(),
        mode == null
            ? new Mode(Kind.CLOSED, null, null)
            : new Mode(mode.kind, mode.ratePerS, or(mode.arrivals, Arrivals.CONSTANT)),
        warmup == null
            ? new WarmUp(10, 1.0, 2, null)
            : new WarmUp(
                or(warmup.executions, 10),
                or(warmup.seconds, 1.0),
                or(warmup.threads, 2),
                warmup.steady),
        or(order, List.of()),
        executions,
        window == null ? null : complete(window),
        or(slices, 1),
        timeoutMs,
        or(connection, Connection.PER_EXECUTION),
        uniqueCondition,
        ids,
        or(samples, Samples.ROWS),
        or(options, Map.of()));
  }

  private static Window complete(Window w) {
    return new Window(w.seconds, w.objects, or(w.perThread, 0), or(w.mostS, or(w.seconds, MOST_S)));
  }

  private static Entry complete(Entry e) {
    return e == null
        ? null
        : new Entry(
            e.name,
            e.text,
            or(e.weight, 1.0),
            or(e.arity, 1),
            or(e.parameters, Map.of()),
            or(e.thinkMs, 0.0),
            or(e.objects, false));
  }

  private static <T> T or(T value, T fallback) {
    return value == null ? fallback : value;
  }

  private record Checker(Path file) {
    void check(Workload w) throws ConfigException {
      need(w.operations != null && !w.operations.isEmpty(), "operations", "names no operation");
      need(w.operations.size() <= 65_535, "operations", "are more than 65535");
      double weights = 0;
      for (int i = 0; i < w.operations.size(); i++) {
        check(w, "operations[" + i + "]", w.operations.get(i));
        weights += w.operations.get(i).weight;
      }
      need(weights > 0, "operations", "have no weight above 0");
      checkWindow(w);
      for (String name : w.order) {
        boolean known = w.operations.stream().anyMatch(e -> e.name.equals(name));
        need(known, "order", "names unknown operation " + name);
      }
      need(w.timeoutMs != null, "timeout_ms", "is missing");
      range(w.timeoutMs, 1, Integer.MAX_VALUE, "timeout_ms");
      range(w.invocation, 0, Short.MAX_VALUE, "invocation");
      range(w.client, 0, MAX_CLIENTS - 1, "client");
      range(w.warmup.executions, 0, MAX_EXECUTIONS, "warmup.executions");
      range(w.warmup.threads, 1, Short.MAX_VALUE, "warmup.threads");
      need(
          w.warmup.seconds >= 0 && w.warmup.seconds <= MOST_S,
          "warmup.seconds",
          "is not from 0 to 86400");
      check(w.warmup.steady);
      check(w.mode);
    }

    private void check(Steady steady) throws ConfigException {
      if (steady == null) {
        return;
      }
      need(
          steady.within != null && steady.within > 0 && steady.within < 1,
          "warmup.steady.within",
          "is not between 0 and 1");
      need(
          steady.mostS != null && steady.mostS > 0 && steady.mostS <= MOST_S,
          "warmup.steady.most_s",
          "is not above 0, up to 86400");
    }

    private void checkWindow(Workload w) throws ConfigException {
      range(w.slices, 1, MAX_SLICES, "slices");
      if (w.window == null) {
        need(w.executions != null, "executions", "is missing");
        range(w.executions, w.slices, MAX_EXECUTIONS, "executions");
        return;
      }
      Double seconds = w.window.seconds;
      Integer objects = w.window.objects;
      need(w.executions == null, "window", "and executions: say one of them");
      need((seconds == null) != (objects == null), "window", "needs one of seconds and objects");
      need(
          seconds == null || seconds > 0 && seconds <= MOST_S,
          "window.seconds",
          "is not above 0, up to 86400");
      range(w.window.perThread, 0, MAX_EXECUTIONS, "window.per_thread");
      need(
          seconds == null || w.window.mostS >= seconds && w.window.mostS <= MOST_S,
          "window.most_s",
          "is not from window.seconds to 86400");
      need(
          seconds != null || w.window.perThread == 0 && w.window.mostS == MOST_S,
          "window.per_thread",
          "and most_s belong to a window of seconds");
      need(
          objects == null || objects >= w.slices,
          "window.objects",
          "is not from " + w.slices + " up: one for each slice");
    }

    private void check(Mode mode) throws ConfigException {
      need(mode.kind != null, "mode.kind", "is missing: say closed or open");
      if (mode.open()) {
        need(
            mode.ratePerS != null && mode.ratePerS >= 1e-6 && mode.ratePerS <= 1e9,
            "mode.rate_per_s",
            "is needed in an open loop, above 0");
      } else {
        need(mode.ratePerS == null, "mode.rate_per_s", "belongs to an open loop only");
      }
    }

    private void check(Workload w, String field, Entry e) throws ConfigException {
      need(e != null && e.name != null && !e.name.isBlank(), field + ".name", "is missing");
      need(
          e.weight >= 0 && e.weight < Double.POSITIVE_INFINITY,
          field + ".weight",
          "is not a number from 0 up");
      range(e.arity, 1, Short.MAX_VALUE, field + ".arity");
      need(e.thinkMs >= 0 && e.thinkMs <= 3.6e6, field + ".think_ms", "is not from 0 to 3600000");
      need(
          e.thinkMs == 0 || !w.mode.open(),
          field + ".think_ms",
          "belongs to a closed loop: in an open loop the arrivals set the pace");
      if (w.uniqueCondition != null) {
        need(
            e.text != null && e.text.contains(UNIQUE_MARKER),
            field + ".text",
            "has no " + UNIQUE_MARKER + " for unique_condition");
        need(differs(w.uniqueCondition), "unique_condition", "is not a format such as \" %1$d\"");
      }
    }

    private static boolean differs(String format) {
      try {
        return !String.format(format, 1L).equals(String.format(format, 2L));
      } catch (IllegalFormatException e) {
        return false;
      }
    }

    private void range(long value, long least, long most, String field) throws ConfigException {
      need(value >= least && value <= most, field, value + " is not from " + least + " to " + most);
    }

    private void need(boolean right, String field, String what) throws ConfigException {
      if (!right) {
        throw new ConfigException(file + ": " + field + ": " + what, null);
      }
    }
  }
}
