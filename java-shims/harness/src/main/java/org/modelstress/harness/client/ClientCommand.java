package org.modelstress.harness.client;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.modelstress.harness.config.ConfigException;
import org.modelstress.harness.samples.ElementIds;
import org.modelstress.harness.samples.FileFullException;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.harness.samples.SampleWriter;
import org.modelstress.harness.serial.SerialFilter;
import org.modelstress.harness.server.ConsoleStreams;
import org.modelstress.harness.server.Ending;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Endpoints;
import org.modelstress.harness.spi.Options;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The client program: arguments, workload and files; then the conversation. */
@Command(name = "client", description = "Puts load on a server and records every execution.")
public final class ClientCommand implements java.util.concurrent.Callable<Integer> {
  private static final int WRONG_ARGUMENTS = 2;
  private static final int INTERNAL = 6;
  private static final int DISK_FULL = 7;
  private static final long CLOSING_MILLIS = 3000;
  private static final int MOST_THREADS = Short.MAX_VALUE;

  private final ConsoleStreams streams;

  @Option(names = "--driver", required = true, description = "Name of the driver.")
  private String driverName;

  @Option(
      names = "--endpoint",
      required = true,
      paramLabel = "[NODE=]URL",
      description = "Where a node answers; once for each.")
  private List<String> endpoints;

  @Option(names = "--workload", required = true, paramLabel = "FILE")
  private Path workloadFile;

  @Option(names = "--threads", required = true, paramLabel = "N")
  private int threads;

  @Option(names = "--out", required = true, paramLabel = "FILE", description = "Sample file.")
  private Path out;

  private ClientCommand(ConsoleStreams streams) {
    this.streams = streams;
  }

  @Command(name = "harness", description = "The load generator of modelstress.")
  private static final class Programs implements Runnable {
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Override
    public void run() {
      throw new CommandLine.ParameterException(spec.commandLine(), "say which program: client");
    }
  }

  /** Runs the program and ends the process. */
  public static void run(String[] args) {
    SerialFilter.install();
    ConsoleStreams streams = ConsoleStreams.take();
    CommandLine command =
        new CommandLine(new Programs()).addSubcommand("client", new ClientCommand(streams));
    command.setParameterExceptionHandler(
        (e, given) -> {
          streams.lastWord(
              e.getMessage()
                  + "; usage: client --driver NAME --endpoint [NODE=]URL --workload FILE --threads N"
                  + " --out FILE");
          return WRONG_ARGUMENTS;
        });
    command.setExecutionExceptionHandler((e, line, parsed) -> report(streams, e));
    int code;
    try {
      code = command.execute(args);
    } catch (Error e) {
      code = report(streams, e);
    }
    Ending.exit(code);
  }

  private static int report(ConsoleStreams streams, Throwable thrown) {
    if (thrown instanceof ConfigException) {
      streams.lastWord(thrown.getMessage());
      return WRONG_ARGUMENTS;
    }
    if (thrown instanceof FileFullException) {
      streams.lastWord(thrown.getMessage());
      return DISK_FULL;
    }
    thrown.printStackTrace();
    streams.lastWord("unexpected: " + thrown);
    return INTERNAL;
  }

  @Override
  public Integer call() throws Exception {
    if (threads < 1 || threads > MOST_THREADS) {
      throw new ConfigException("--threads: " + threads + " is not from 1 to 32767", null);
    }
    Workload workload = Workload.read(workloadFile);
    Endpoints target = Addresses.parse(endpoints);
    ElementIds ids = ids(workload);
    Driver driver = driver();
    try {
      Setup setup =
          new Setup(
              driver,
              new Target(target),
              new Options(workload.timeoutMs(), workload.options()),
              workload.connection() == Workload.Connection.REUSED,
              new OperationPlan(workload),
              new Verifier(ids),
              recorder(workload),
              new Failures(),
              new AtomicLong());
      LoadGenerator generator = new LoadGenerator(setup, workload, threads);
      new Conversation(streams, generator, setup.failures()).hold(System.in);
    } finally {
      close(driver);
    }
    return 0;
  }

  /** Everything is recorded by now, so a driver that hangs here is left behind. */
  private static void close(Driver driver) throws InterruptedException {
    Thread closer = new Thread(driver::close, "driver-close");
    closer.setDaemon(true);
    closer.start();
    closer.join(CLOSING_MILLIS);
  }

  private ElementIds ids(Workload workload) throws ConfigException {
    try {
      return workload.ids() == null ? null : IdsFile.read(workload.ids());
    } catch (IOException e) {
      throw new ConfigException(workloadFile + ": ids: cannot be read: " + e.getMessage(), e);
    }
  }

  private Driver driver() throws ConfigException {
    TreeMap<String, Driver> found = new TreeMap<>();
    var providers = ServiceLoader.load(Driver.class).stream().iterator();
    while (providers.hasNext()) {
      try {
        Driver driver = providers.next().get();
        found.put(driver.name(), driver);
      } catch (ServiceConfigurationError e) {
        // somebody else's driver; if it is the one asked for, it is missing below
        System.err.println("a driver cannot be loaded: " + Failures.sentence(e));
      }
    }
    Driver driver = found.remove(driverName);
    found.values().forEach(Driver::close);
    if (driver == null) {
      throw new ConfigException(
          "--driver: " + driverName + " is not on the class path; there: " + found.keySet(), null);
    }
    return driver;
  }

  private Recorder recorder(Workload workload) throws ConfigException {
    try {
      SampleWriter writer =
          new SampleWriter(
              out,
              workload.invocation(),
              workload.client(),
              workload.operations().stream().map(Workload.Entry::name).toList(),
              meta());
      if (workload.samples() == Workload.Samples.ROWS) {
        return new Recorder.Rows(writer);
      }
      return new HistogramRecorder(out, writer, workload, threads);
    } catch (FileAlreadyExistsException e) {
      throw new ConfigException(
          "--out: " + e.getFile() + " exists; measured data is not overwritten, name another", e);
    } catch (IOException e) {
      throw new ConfigException("--out: " + out + " cannot be created: " + e, e);
    }
  }

  /** What a reader cannot know otherwise; the two clocks are read together. */
  private Map<String, Object> meta() {
    java.time.Instant now = java.time.Instant.now();
    return Map.of(
        "driver",
        driverName,
        "endpoint",
        String.join(" ", endpoints),
        "threads",
        threads,
        "clock_ns",
        System.nanoTime(),
        "unix_ns",
        now.getEpochSecond() * 1_000_000_000L + now.getNano());
  }
}
