package org.modelstress.thrift.server;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.spi.Endpoint;

/** A server program as a process of its own. */
public final class ServerProcess implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Process process;
  private final BufferedReader out;
  private final Path errors;

  /**
   * Starts {@code load} or {@code serve} with this configuration.
   *
   * @param main the program's main class, on this process's class path
   */
  public ServerProcess(Class<?> main, String command, ServerConfig config) throws IOException {
    Files.createDirectories(config.work());
    Path file = config.work().resolve("config.json");
    Map<String, Object> keys = new HashMap<>();
    keys.put("tool", config.tool());
    keys.put("backend", config.backend());
    keys.put("model", config.model().toString());
    keys.put("store", config.store().toString());
    keys.put("work", config.work().toString());
    keys.put("bind", config.bind());
    keys.put("ports", config.ports());
    keys.put("attributes", config.attributes());
    keys.put("options", config.options());
    JSON.writeValue(file.toFile(), keys);
    errors = config.work().resolve("stderr");
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName(),
                command,
                "--config",
                file.toString())
            .redirectError(errors.toFile())
            .start();
    out = process.inputReader();
  }

  /** Waits for the READY line and returns its endpoints; fails when the output ends before. */
  public Map<String, Endpoint> awaitReady() throws IOException {
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith("READY ")) {
        Map<String, Endpoint> endpoints = new HashMap<>();
        JSON.readTree(line.substring("READY ".length()))
            .get("endpoints")
            .fields()
            .forEachRemaining(
                e -> endpoints.put(e.getKey(), new Endpoint(URI.create(e.getValue().asText()))));
        return endpoints;
      }
    }
    throw new IOException("no READY line; " + lastError());
  }

  /** Reads the output until elements and values done are at least so many, or it ends. */
  public void awaitProgress(long atLeast) throws IOException {
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (JSON.readTree(line.substring("PROGRESS ".length())).get("done").longValue() >= atLeast) {
        return;
      }
    }
  }

  /** Waits for the end and returns the exit code. */
  public int awaitExit() throws InterruptedException {
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      throw new IllegalStateException("server did not end within 60 s");
    }
    return process.exitValue();
  }

  /** The last line of standard error. */
  public String lastError() throws IOException {
    List<String> lines = Files.readAllLines(errors);
    return lines.isEmpty() ? "" : lines.get(lines.size() - 1);
  }

  /** SIGTERM. */
  public void terminate() {
    process.destroy();
  }

  /** SIGKILL. */
  public void kill() {
    process.destroyForcibly();
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().orTimeout(10, TimeUnit.SECONDS).join();
  }
}
