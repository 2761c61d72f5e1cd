package org.modelstress.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A JVM of its own, running a class of this module; destroyed when closed. */
public final class Child implements AutoCloseable {
  private static final String END = "\0end";

  private final Process process;
  private final Path errors;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

  public Child(Path folder, Class<?> main, String... arguments) throws IOException {
    this(
        folder,
        List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
        main,
        arguments);
  }

  public Child(Path folder, List<String> jvm, Class<?> main, String... arguments)
      throws IOException {
    // A background job of a shell ignores SIGINT, its children inherit that, and a JVM keeps it.
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvm);
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    errors = Files.createTempFile(folder, "stderr", ".txt");
    process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    Thread reader = new Thread(this::read, "child-reader");
    reader.setDaemon(true);
    reader.start();
  }

  private void read() {
    try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        lines.add(line);
      }
    } catch (IOException e) {
      // the process was destroyed
    }
    lines.add(END);
  }

  public Process process() {
    return process;
  }

  public void say(String line) throws IOException {
    process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
  }

  public void closeInput() throws IOException {
    process.getOutputStream().close();
  }

  /** The next line beginning with a word; others are passed over. */
  public String expect(String word) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (true) {
      String line = lines.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (line == null || line.equals(END)) {
        throw new TimeoutException("no " + word + " came; stderr: " + stderr());
      }
      if (line.startsWith(word)) {
        return line;
      }
    }
  }

  /** Lines not yet expected, after the end of the process. */
  public List<String> rest() throws Exception {
    List<String> rest = new ArrayList<>();
    for (String line = lines.poll(20, TimeUnit.SECONDS);
        line != null && !line.equals(END);
        line = lines.poll(20, TimeUnit.SECONDS)) {
      rest.add(line);
    }
    return rest;
  }

  public int exitCode() throws Exception {
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      throw new TimeoutException("the child did not end; stderr: " + stderr());
    }
    return process.exitValue();
  }

  public String stderr() throws IOException {
    return Files.readString(errors);
  }

  /** The last line of standard error. */
  public String lastWord() throws IOException {
    List<String> all = stderr().lines().toList();
    return all.isEmpty() ? "" : all.get(all.size() - 1);
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().orTimeout(10, TimeUnit.SECONDS).join();
  }
}
