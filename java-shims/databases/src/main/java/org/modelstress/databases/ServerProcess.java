package org.modelstress.databases;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.modelstress.databases.DatabaseException.Reason;

/** A running database server that is a child of this process. */
final class ServerProcess implements DatabaseServer {
  private static final long READY_SECONDS = 60;
  private static final long END_SECONDS = 4;
  private static final long POLL_MILLIS = 20;
  private static final int TRIES = 25;
  private static final long AGAIN_MILLIS = 200;

  /**
   * What servers of one kind do their own way.
   *
   * @param name for messages
   * @param signal that ends it as its users would, such as {@code INT}
   * @param pidFile in its data folder; its first line is the number of the process
   * @param stillEnding what its log says where a server that was killed holds the data yet
   */
  record Kind(String name, String signal, String pidFile, List<String> stillEnding) {}

  /** Starts a server once at a port. */
  @FunctionalInterface
  interface Start {
    DatabaseServer at(int port) throws DatabaseException;
  }

  private final Kind kind;
  private final Process process;
  private final String address;

  private ServerProcess(Kind kind, Process process, String address) {
    this.kind = kind;
    this.process = process;
    this.address = address;
  }

  /**
   * Starts a server, again where the port was taken meanwhile or a killed one is not gone yet.
   *
   * @param port 0: any that is free; servers cannot choose one themselves
   */
  static DatabaseServer start(String bind, int port, Start start) throws DatabaseException {
    for (int tries = 1; ; tries++) {
      try {
        return start.at(port == 0 ? freePort(bind) : port);
      } catch (DatabaseException e) {
        boolean again = e.reason() == Reason.STILL_ENDING || port == 0 && e.portIsBusy();
        if (!again || tries == TRIES) {
          throw e;
        }
        pause();
      }
    }
  }

  private static void pause() throws DatabaseException {
    try {
      TimeUnit.MILLISECONDS.sleep(AGAIN_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DatabaseException("starting a database was interrupted", e);
    }
  }

  private static int freePort(String bind) throws DatabaseException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(bind))) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new DatabaseException("there is no free port on " + bind + ": " + e.getMessage(), e);
    }
  }

  /**
   * A command whose process is nobody where this one is root: database servers refuse to be root,
   * and get a user namespace of their own.
   */
  static List<String> asNobody(List<String> command) {
    if (!"root".equals(System.getProperty("user.name"))) {
      return command;
    }
    List<String> wrapped = new ArrayList<>(List.of("unshare", "--user"));
    wrapped.addAll(command);
    return wrapped;
  }

  /**
   * Runs a server program and waits until it answers, and not another one that is about to end.
   *
   * @param data its folder; its log is beside it
   */
  static ServerProcess run(Kind kind, List<String> command, String address, Path data)
      throws DatabaseException {
    Path log = data.resolveSibling(data.getFileName() + ".log");
    Process process;
    try {
      process =
          new ProcessBuilder(asNobody(command))
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.to(log.toFile()))
              .start();
    } catch (IOException e) {
      throw new DatabaseException(kind.name() + " cannot be started: " + e.getMessage(), e);
    }
    ServerProcess server = new ServerProcess(kind, process, address);
    try {
      server.awaitAnswer(data, log);
      return server;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      server.close();
      throw new DatabaseException("starting " + kind.name() + " was interrupted", e);
    } catch (DatabaseException e) {
      server.close();
      throw e;
    }
  }

  private void awaitAnswer(Path data, Path log) throws DatabaseException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS);
    while (!isOf(data) || !answers()) {
      if (!process.isAlive()) {
        throw ended(log);
      }
      if (System.nanoTime() - end > 0) {
        throw new DatabaseException(
            kind.name() + " did not answer within " + READY_SECONDS + " s: " + last(log), null);
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  /** Whether it has the folder: its number is the first line of a file there. */
  private boolean isOf(Path data) {
    try (Stream<String> lines = Files.lines(data.resolve(kind.pidFile()))) {
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

  private DatabaseException ended(Path log) {
    String said;
    try {
      said = Files.readString(log);
    } catch (IOException e) {
      return new DatabaseException(kind.name() + " ended, and its log cannot be read: " + e, e);
    }
    if (said.contains("Address already in use")) {
      return new DatabaseException(
          Reason.PORT_IS_BUSY, kind.name() + " cannot listen: the port is in use", null);
    }
    boolean again = kind.stillEnding().stream().anyMatch(said::contains);
    return new DatabaseException(
        again ? Reason.STILL_ENDING : Reason.OTHER,
        kind.name() + " ended at once: " + last(log),
        null);
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
    endWithin(END_SECONDS);
  }

  @Override
  public void endWithin(long seconds) {
    if (!process.isAlive()) {
      return;
    }
    try {
      // Java has a word for SIGTERM only, and that waits for clients in some servers
      new ProcessBuilder("kill", "-" + kind.signal(), Long.toString(process.pid()))
          .start()
          .waitFor();
      if (process.waitFor(seconds, TimeUnit.SECONDS)) {
        return;
      }
    } catch (IOException e) {
      System.err.println(kind.name() + " cannot be told to end: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
  }
}
