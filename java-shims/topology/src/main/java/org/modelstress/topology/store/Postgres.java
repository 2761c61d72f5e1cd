package org.modelstress.topology.store;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.modelstress.topology.store.StoreException.Reason;
import org.tukaani.xz.XZInputStream;

/**
 * The programs of PostgreSQL that come with this project, built by zonky.io, and what is done with
 * them. The server is a child of this process, in its process group: {@code pg_ctl}, which
 * libraries that embed it call, would take it out of what the harness ends, pauses and limits.
 *
 * <p>PostgreSQL does not run as root; where this process does, its programs get a user namespace of
 * their own, in which they are nobody.
 */
final class Postgres implements Database {
  /** The only user and the only database that can be reached over the network. */
  static final String NAME = "topology";

  private static final String ARCHIVE = "/postgres-linux-%s.txz";
  private static final long PROGRAM_SECONDS = 60;
  private static final int TRIES = 25;
  private static final long AGAIN_MILLIS = 200;

  /** Nobody may connect as the superuser, who could run programs; nobody from elsewhere. */
  private static final String ACCESS =
      """
      host topology topology samehost scram-sha-256
      host topology topology samenet scram-sha-256
      """;

  private static final Map<String, String> SETTINGS =
      Map.of(
          "unix_socket_directories", "",
          "max_connections", "400",
          "max_prepared_transactions", "400", // 0 by default, and then there are no two phases
          "shared_buffers", "128MB",
          "log_checkpoints", "off");

  private Path programs;

  @Override
  public String name() {
    return "postgresql";
  }

  @Override
  public String version() {
    return "17.5"; // that of the artifact in pom.xml; PostgresTest compares it with the server's
  }

  @Override
  public boolean hasPrograms() {
    return true;
  }

  @Override
  public void packPrograms(Path file) throws IOException {
    Tar.pack(programs, file);
  }

  @Override
  public void prepare(Path folder, Path packed) throws StoreException, IOException {
    programs = folder.resolve(name());
    if (Files.isDirectory(programs)) {
      return; // a server that was killed had them
    }
    if (packed != null) {
      Tar.unpack(packed, programs);
    } else {
      unpackBuilt();
    }
  }

  private void unpackBuilt() throws StoreException, IOException {
    String machine = System.getProperty("os.arch");
    String built =
        machine.equals("amd64") ? "x86_64" : machine.equals("aarch64") ? "arm_64" : machine;
    try (InputStream in = Postgres.class.getResourceAsStream(String.format(ARCHIVE, built))) {
      if (in == null) {
        throw new StoreException(
            "there are no programs of PostgreSQL for " + machine + "; use backend h2", null);
      }
      Tar.unpack(new XZInputStream(in), programs);
    }
  }

  @Override
  public void create(Path data, String name) throws StoreException {
    run(
        List.of(
            program("initdb"),
            "--pgdata=" + data,
            "--username=postgres",
            "--auth=reject",
            "--locale=C",
            "--encoding=UTF8",
            "--data-checksums"),
        "");
    // the only moment at which the superuser says something: no network is there
    String password = Password.create(data);
    single(data, "CREATE ROLE " + NAME + " LOGIN PASSWORD '" + password + "';\n");
    single(data, "CREATE DATABASE " + NAME + " OWNER " + NAME + ";\n");
    try {
      Files.writeString(data.resolve("pg_hba.conf"), ACCESS);
    } catch (IOException e) {
      throw new StoreException("cannot write to " + data + ": " + e, e);
    }
  }

  void single(Path data, String sql) throws StoreException {
    run(List.of(program("postgres"), "--single", "-D", data.toString(), "postgres"), sql);
  }

  @Override
  public StoreServer start(Path data, String bind, int port, String name) throws StoreException {
    for (int tries = 1; ; tries++) {
      try {
        // it cannot choose one itself, and somebody else may be faster
        return startAt(data, bind, port == 0 ? PostgresServer.freePort(bind) : port);
      } catch (StoreException e) {
        boolean again = e.reason() == Reason.STILL_ENDING || port == 0 && e.portIsBusy();
        if (!again || tries == TRIES) {
          throw e;
        }
        pause();
      }
    }
  }

  private static void pause() throws StoreException {
    try {
      TimeUnit.MILLISECONDS.sleep(AGAIN_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("starting PostgreSQL was interrupted", e);
    }
  }

  private StoreServer startAt(Path data, String bind, int port) throws StoreException {
    List<String> command = new ArrayList<>(List.of(program("postgres"), "-D", data.toString()));
    SETTINGS.forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
    command.addAll(List.of("-c", "listen_addresses=" + bind, "-c", "port=" + port));
    Path log = data.resolveSibling(data.getFileName() + ".log");
    String address = Addresses.of(name(), NAME, Password.read(data), bind, port, NAME);
    try {
      Process process =
          new ProcessBuilder(asNobody(command))
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.to(log.toFile()))
              .start();
      return PostgresServer.ready(process, address, data, log);
    } catch (IOException e) {
      throw new StoreException("PostgreSQL cannot be started: " + e.getMessage(), e);
    }
  }

  private String program(String name) {
    return programs.resolve("bin").resolve(name).toString();
  }

  private static List<String> asNobody(List<String> command) {
    if (!"root".equals(System.getProperty("user.name"))) {
      return command;
    }
    List<String> wrapped = new ArrayList<>(List.of("unshare", "--user"));
    wrapped.addAll(command);
    return wrapped;
  }

  private static void run(List<String> command, String input) throws StoreException {
    String name = Path.of(command.get(0)).getFileName().toString();
    try {
      Process process = new ProcessBuilder(asNobody(command)).redirectErrorStream(true).start();
      process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().close();
      byte[] said = process.getInputStream().readAllBytes();
      if (!process.waitFor(PROGRAM_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new StoreException(name + " did not end within " + PROGRAM_SECONDS + " s", null);
      }
      if (process.exitValue() != 0) {
        String last = new String(said, StandardCharsets.UTF_8).strip();
        throw new StoreException(
            name + " failed: " + last.substring(last.lastIndexOf('\n') + 1), null);
      }
    } catch (IOException e) {
      throw new StoreException(name + " cannot be run: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException(name + " was interrupted", e);
    }
  }
}
