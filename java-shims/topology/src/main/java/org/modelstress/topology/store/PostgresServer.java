package org.modelstress.topology.store;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;

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

  /** Waits until it answers. */
  static PostgresServer ready(Process process, String address, Path log) throws StoreException {
    PostgresServer server = new PostgresServer(process, address);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS);
    try {
      while (!server.answers()) {
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

  private boolean answers() {
    try (Connection connection = DriverManager.getConnection(Addresses.jdbc(address))) {
      return connection.isValid(1);
    } catch (SQLException e) {
      return false;
    }
  }

  private static StoreException ended(Path log) {
    String said = last(log);
    try {
      if (Files.readString(log).contains("Address already in use")) {
        return StoreException.portIsBusy("PostgreSQL cannot listen: the port is in use");
      }
    } catch (IOException e) {
      said = "its log cannot be read: " + e.getMessage();
    }
    return new StoreException("PostgreSQL ended at once: " + said, null);
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
