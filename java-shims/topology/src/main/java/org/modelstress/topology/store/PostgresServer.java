package org.modelstress.topology.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.modelstress.topology.store.StoreException.Reason;

/** A running PostgreSQL. */
final class PostgresServer implements StoreServer {
  private static final long READY_SECONDS = 60;
  private static final long END_SECONDS = 4;
  private static final long POLL_MILLIS = 20;

  private final Process process;
  private final String address;

  private PostgresServer(Process process, String address) {
    this.process = process;
    this.address = address;
  }

  /** A port that is free now; PostgreSQL cannot choose one itself. */
  static int freePort(String bind) throws StoreException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(bind))) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new StoreException("there is no free port on " + bind + ": " + e.getMessage(), e);
    }
  }

  /** Waits until it answers, and not another one that is about to end. */
  static PostgresServer ready(Process process, String address, Path data, Path log)
      throws StoreException {
    PostgresServer server = new PostgresServer(process, address);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS);
    try {
      while (!server.isOf(data) || !server.answers()) {
        if (!process.isAlive()) {
          throw ended(log);
        }
        if (System.nanoTime() - end > 0) {
          throw new StoreException(
              "PostgreSQL did not answer within " + READY_SECONDS + " s: " + last(log), null);
        }
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      }
      return server;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      server.close();
      throw new StoreException("starting PostgreSQL was interrupted", e);
    } catch (StoreException e) {
      server.close();
      throw e;
    }
  }

  /** Whether it has the folder: its number is the first line of a file there. */
  private boolean isOf(Path data) {
    try (Stream<String> lines = Files.lines(data.resolve("postmaster.pid"))) {
      return lines.findFirst().orElse("").equals(Long.toString(process.pid()));
    } catch (IOException | UncheckedIOException e) {
      return false;
    }
  }

  private boolean answers() {
    try (Connection connection = DriverManager.getConnection(Addresses.jdbc(address))) {
      return connection.isValid(1);
    } catch (SQLException e) {
      return false;
    }
  }

  private static StoreException ended(Path log) {
    String said;
    try {
      said = Files.readString(log);
    } catch (IOException e) {
      return new StoreException("PostgreSQL ended, and its log cannot be read: " + e, e);
    }
    if (said.contains("Address already in use")) {
      return new StoreException(
          Reason.PORT_IS_BUSY, "PostgreSQL cannot listen: the port is in use", null);
    }
    // of its own processes, or itself where nobody has noticed its end yet
    Reason reason =
        said.contains("shared memory block") || said.contains("running in data directory")
            ? Reason.STILL_ENDING
            : Reason.OTHER;
    return new StoreException(reason, "PostgreSQL ended at once: " + last(log), null);
  }

  private static String last(Path log) {
    try {
      List<String> lines = Files.readAllLines(log);
      return lines.isEmpty() ? "it said nothing" : lines.get(lines.size() - 1);
    } catch (IOException e) {
      return "its log cannot be read";
    }
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  public void close() {
    if (!process.isAlive()) {
      return;
    }
    try {
      // SIGINT: it ends its clients' sessions and writes a checkpoint; Java has no word for that
      new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
      if (process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
    } catch (IOException e) {
      System.err.println("PostgreSQL cannot be told to end: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
  }
}
