package org.modelstress.cdo;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.modelstress.harness.server.ServerConfig;

/** The server program as a process of its own. */
final class ServerProcess implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Process process;
  private final Path errors;

  /** Starts {@code load} or {@code serve} with this configuration. */
  ServerProcess(String command, ServerConfig config) throws IOException {
    this(List.of(), command, config);
  }

  /** The same, started by another program, whose arguments end with the server's command line. */
  ServerProcess(List<String> starter, String command, ServerConfig config) throws IOException {
    Files.createDirectories(config.work());
    Path file = config.work().resolve("config.json");
    JSON.writeValue(
        file.toFile(),
        Map.of(
            "tool", config.tool(),
            "model", config.model().toString(),
            "store", config.store().toString(),
            "work", config.work().toString(),
            "bind", config.bind(),
            "ports", config.ports(),
            "options", config.options()));
    errors = config.work().resolve("stderr");
    List<String> argv = new ArrayList<>(starter);
    argv.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    argv.addAll(List.of("-Xmx1g", "-cp", System.getProperty("java.class.path")));
    argv.addAll(List.of(Main.class.getName(), command, "--config", file.toString()));
    process = new ProcessBuilder(argv).redirectError(errors.toFile()).start();
  }

  /** Waits for the READY line, the only one, and returns its first endpoint. */
  String awaitReady() throws IOException {
    BufferedReader out = process.inputReader();
    String line = out.readLine();
    if (line == null || !line.startsWith("READY ")) {
      throw new IOException("not READY but " + line + "; " + lastError());
    }
    return JSON.readTree(line.substring("READY ".length()))
        .get("endpoints")
        .elements()
        .next()
        .textValue();
  }

  /** Waits for the end and returns the exit code. */
  int awaitExit() throws InterruptedException {
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      throw new IllegalStateException("server did not end within 60 s");
    }
    return process.exitValue();
  }

  /** Its threads. */
  long threads() throws IOException {
    return count("task");
  }

  /** Its threads whose name begins so; Linux keeps the first 15 characters of a name. */
  long threads(String name) throws IOException {
    long found = 0;
    try (Stream<Path> tasks = Files.list(Path.of("/proc", "" + process.pid(), "task"))) {
      for (Path task : tasks.toList()) {
        try {
          found += Files.readString(task.resolve("comm")).startsWith(name) ? 1 : 0;
        } catch (IOException e) {
          // ended in between
        }
      }
    }
    return found;
  }

  /** Its open files and sockets. */
  long openFiles() throws IOException {
    return count("fd");
  }

  private long count(String what) throws IOException {
    try (Stream<Path> entries = Files.list(Path.of("/proc", "" + process.pid(), what))) {
      return entries.count();
    }
  }

  String lastError() throws IOException {
    List<String> lines = Files.readAllLines(errors);
    return lines.isEmpty() ? "" : lines.get(lines.size() - 1);
  }

  /** SIGTERM. */
  void terminate() {
    process.destroy();
  }

  /** SIGSTOP: the process is there and does nothing. */
  void suspend() throws IOException, InterruptedException {
    signal("STOP");
  }

  /** SIGCONT: it goes on. */
  void resume() throws IOException, InterruptedException {
    signal("CONT");
  }

  private void signal(String name) throws IOException, InterruptedException {
    int code = new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor();
    if (code != 0) {
      throw new IOException("kill -" + name + " ended with " + code);
    }
  }

  /** SIGKILL. */
  void kill() {
    process.destroyForcibly();
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().orTimeout(10, TimeUnit.SECONDS).join();
  }
}
