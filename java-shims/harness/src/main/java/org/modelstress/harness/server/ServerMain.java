package org.modelstress.harness.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.modelstress.harness.config.ConfigException;
import org.modelstress.harness.config.JsonFile;
import org.modelstress.harness.serial.SerialFilter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The server program of every tool: {@code load --config F} and {@code serve --config F} with the
 * READY line, exit codes and deadlines of {@code docs/contracts.md}. A tool's {@code main} is one
 * line: {@code ServerMain.run(args, new MyServer())}.
 */
public final class ServerMain {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Pattern NODE = Pattern.compile("[a-z][a-z0-9-]*");

  private final ConsoleStreams streams;
  private final ToolServer server;
  private final AtomicReference<ToolServer.Running> running = new AtomicReference<>();

  private ServerMain(ConsoleStreams streams, ToolServer server) {
    this.streams = streams;
    this.server = server;
  }

  /** Runs the program and ends the process; does not return. */
  public static void run(String[] args, ToolServer server) {
    SerialFilter.install();
    ConsoleStreams streams = ConsoleStreams.take();
    ServerMain main = new ServerMain(streams, server);
    CommandLine commands =
        new CommandLine(new Commands())
            .addSubcommand("load", main.new Load())
            .addSubcommand("serve", main.new Serve());
    commands.setParameterExceptionHandler(
        (e, given) -> {
          streams.lastWord(e.getMessage() + "; usage: (load|serve) --config FILE");
          return ServerException.Exit.CONFIG.code();
        });
    commands.setExecutionExceptionHandler((e, command, parsed) -> main.report(e));
    int code;
    try {
      code = commands.execute(args);
    } catch (OutOfMemoryError e) {
      streams.lastWord("out of memory: raise the server's heap (-Xmx)");
      code = ServerException.Exit.INTERNAL.code();
    } catch (Error e) {
      code = main.report(e);
    }
    Ending.exit(code);
  }

  private int report(Throwable thrown) {
    if (thrown instanceof ServerException known) {
      streams.lastWord(known.getMessage());
      return known.exit().code();
    }
    if (Ports.isBusy(thrown)) {
      streams.lastWord("cannot listen: " + thrown.getMessage() + "; choose another port or 0");
      return ServerException.Exit.PORT.code();
    }
    thrown.printStackTrace();
    streams.lastWord("unexpected: " + thrown);
    return ServerException.Exit.INTERNAL.code();
  }

  @Command(name = "server", description = "Loads or serves a store.")
  private static final class Commands implements Runnable {
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Override
    public void run() {
      throw new CommandLine.ParameterException(spec.commandLine(), "say load or serve");
    }
  }

  @Command(name = "load", description = "Populates a store from a model or a dataset.")
  private final class Load implements java.util.concurrent.Callable<Integer> {
    @Option(names = "--config", required = true, paramLabel = "FILE")
    private Path file;

    @Override
    public Integer call() throws ServerException {
      ServerConfig config = read(file);
      need(file, "store", config.store());
      if (config.model() == null && config.dataset() == null) {
        throw wrong(file, "model", "is missing: name a model or a dataset");
      }
      if (config.model() != null && !Files.isReadable(config.model())) {
        throw new ServerException(
            ServerException.Exit.MODEL,
            "model " + config.model() + " is missing or not readable",
            null);
      }
      server.load(config, new ProgressLines());
      return 0;
    }
  }

  @Command(name = "serve", description = "Serves a loaded or an empty store until SIGTERM.")
  private final class Serve implements java.util.concurrent.Callable<Integer> {
    @Option(names = "--config", required = true, paramLabel = "FILE")
    private Path file;

    @Override
    public Integer call() throws Exception {
      ServerConfig config = read(file);
      need(file, "work", config.work());
      need(file, "bind", config.bind());
      checkPorts(file, config.ports());
      if (config.store() != null && !Files.isDirectory(config.store())) {
        throw new ServerException(
            ServerException.Exit.STORE,
            "store " + config.store() + " is missing: load it first",
            null);
      }
      Files.createDirectories(config.work());
      Runtime.getRuntime().addShutdownHook(new Thread(ServerMain.this::stop, "stop"));
      running.set(server.serve(config));
      streams.say("READY " + ready(running.get().endpoints()));
      new CountDownLatch(1).await(); // until a signal runs the shutdown hook
      return 0;
    }
  }

  private static String ready(Map<String, String> endpoints) throws JsonProcessingException {
    Map<String, Object> ready = new TreeMap<>();
    ready.put("endpoints", endpoints);
    ready.put("pid", ProcessHandle.current().pid());
    return JSON.writeValueAsString(ready);
  }

  private void stop() {
    Ending.haltAfter(Ending.DEADLINE_MILLIS, 143);
    ToolServer.Running current = running.getAndSet(null);
    if (current == null) {
      return; // still starting, or failed to
    }
    try {
      current.close();
    } catch (RuntimeException e) {
      e.printStackTrace();
    }
    // other shutdown hooks run beside this one and may wait for it: no halt here
  }

  private ServerConfig read(Path file) throws ServerException {
    ServerConfig config;
    try {
      config = JsonFile.read(file, ServerConfig.class);
    } catch (ConfigException e) {
      throw new ServerException(ServerException.Exit.CONFIG, e.getMessage(), e);
    }
    need(file, "tool", config.tool());
    checkNode(file, "node", config.node());
    for (Map.Entry<String, Map<String, String>> peer : config.peers().entrySet()) {
      checkNode(file, "peers", peer.getKey());
      checkPeer(file, "peers." + peer.getKey(), peer.getValue());
    }
    if (config.dataset() != null) {
      need(file, "dataset.name", config.dataset().name());
    }
    return config;
  }

  private static void checkNode(Path file, String key, String name) throws ServerException {
    if (!NODE.matcher(name).matches()) {
      throw wrong(file, key, "'" + name + "' is not a node's name such as writer-1");
    }
  }

  private static void checkPeer(Path file, String key, Map<String, String> endpoints)
      throws ServerException {
    if (endpoints == null || endpoints.isEmpty()) {
      throw wrong(file, key, "names no endpoint, such as {\"tcp\": \"tcp://127.0.0.1:2036\"}");
    }
    for (Map.Entry<String, String> endpoint : endpoints.entrySet()) {
      need(file, key + "." + endpoint.getKey(), endpoint.getValue());
    }
  }

  private static void need(Path file, String key, Object value) throws ServerException {
    if (value == null) {
      throw wrong(file, key, "is missing");
    }
  }

  private static void checkPorts(Path file, Map<String, Integer> ports) throws ServerException {
    if (ports.isEmpty()) {
      throw wrong(file, "ports", "names no protocol, such as {\"tcp\": 0}");
    }
    for (Map.Entry<String, Integer> port : ports.entrySet()) {
      if (port.getValue() == null || port.getValue() < 0 || port.getValue() > 65_535) {
        throw wrong(file, "ports." + port.getKey(), port.getValue() + " is not from 0 to 65535");
      }
    }
  }

  private static ServerException wrong(Path file, String key, String what) {
    return new ServerException(ServerException.Exit.CONFIG, file + ": " + key + ": " + what, null);
  }

  /** At most two lines a second, and the last one. */
  private final class ProgressLines implements ToolServer.Progress {
    private long next = System.nanoTime();

    @Override
    public synchronized void at(long done, long total) {
      long now = System.nanoTime();
      if (now - next >= 0 || done == total) {
        next = now + TimeUnit.MILLISECONDS.toNanos(500);
        streams.say("PROGRESS {\"done\": " + done + ", \"total\": " + total + "}");
      }
    }
  }
}
