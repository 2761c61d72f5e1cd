package org.modelstress.databases;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Programs of a database server that do something and end. */
final class ServerProgram {
  private static final long SECONDS = 60;

  /** Of what a program that fails said: the very last one often says only that it ends. */
  private static final int LINES = 3;

  private ServerProgram() {}

  /**
   * Runs a program to its end.
   *
   * @param input what it reads, small enough for a program that says little meanwhile
   * @throws DatabaseException with the last lines that it said, where it fails
   */
  static void run(List<String> command, String input) throws DatabaseException {
    String name = Path.of(command.get(0)).getFileName().toString();
    try {
      Process process =
          new ProcessBuilder(ServerProcess.asNobody(command)).redirectErrorStream(true).start();
      process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().close();
      byte[] said = process.getInputStream().readAllBytes();
      if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new DatabaseException(name + " did not end within " + SECONDS + " s", null);
      }
      if (process.exitValue() != 0) {
        List<String> lines = new String(said, StandardCharsets.UTF_8).strip().lines().toList();
        List<String> last = lines.subList(Math.max(0, lines.size() - LINES), lines.size());
        throw new DatabaseException(name + " failed: " + String.join("; ", last), null);
      }
    } catch (IOException e) {
      throw new DatabaseException(name + " cannot be run: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DatabaseException(name + " was interrupted", e);
    }
  }
}
