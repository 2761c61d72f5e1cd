package org.modelstress.databases;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
  /** The only database that can be reached over the network, and the user who owns it. */
  static final String NAME = "modelstress";

  /** A user who can read tables, and nothing else. */
  private static final String READER = "modelstress_reader";

  private static final String ARCHIVE = "/postgres-linux-%s.txz";

  /** {@code INT}: it ends its clients' sessions and writes a checkpoint. */
  private static final ServerProcess.Kind KIND =
      new ServerProcess.Kind(
          "PostgreSQL",
          "INT",
          "postmaster.pid",
          // of its own processes, or itself where nobody has noticed its end yet
          List.of("shared memory block", "running in data directory"));

  /** Nobody may connect as the superuser, who could run programs; nobody from elsewhere. */
  private static final String ACCESS =
      """
      host modelstress modelstress,modelstress_reader samehost scram-sha-256
      host modelstress modelstress,modelstress_reader samenet scram-sha-256
      """;

  /** In the template, so that every database has it: what anybody could do otherwise. */
  private static final String RIGHTS =
      """
      REVOKE EXECUTE ON FUNCTION lo_creat(int), lo_create(oid), lo_from_bytea(oid, bytea) FROM PUBLIC;
      REVOKE EXECUTE ON FUNCTION pg_cancel_backend(int), pg_terminate_backend(int, bigint) FROM PUBLIC;
      ALTER DEFAULT PRIVILEGES FOR ROLE modelstress GRANT SELECT ON TABLES TO modelstress_reader;
      """;

  private static final Map<String, String> SETTINGS =
      Map.of(
          "unix_socket_directories", "",
          "max_connections", "400",
          "max_prepared_transactions", "400", // 0 by default, and then there are no two phases
          "log_checkpoints", "off");

  private final Tuning tuning;
  private Path programs;

  Postgres(Tuning tuning) {
    this.tuning = tuning;
  }

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
  public void prepare(Path folder, Path packed) throws DatabaseException, IOException {
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

  private void unpackBuilt() throws DatabaseException, IOException {
    String machine = System.getProperty("os.arch");
    String built =
        machine.equals("amd64") ? "x86_64" : machine.equals("aarch64") ? "arm_64" : machine;
    try (InputStream in = Postgres.class.getResourceAsStream(String.format(ARCHIVE, built))) {
      if (in == null) {
        throw new DatabaseException(
            "there are no programs of PostgreSQL for " + machine + "; use backend h2", null);
      }
      Tar.unpack(new XZInputStream(in), programs);
    }
  }

  @Override
  public void create(Path data, String name) throws DatabaseException {
    ServerProgram.run(
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
    single(data, "template1", role(data, NAME) + role(data, READER) + RIGHTS);
    single(
        data,
        "postgres",
        "CREATE DATABASE "
            + NAME
            + " OWNER "
            + NAME
            + ";\n"
            + "REVOKE TEMPORARY ON DATABASE "
            + NAME
            + " FROM PUBLIC;\n");
    try {
      Files.writeString(data.resolve("pg_hba.conf"), ACCESS);
    } catch (IOException e) {
      throw new DatabaseException("cannot write to " + data + ": " + e, e);
    }
  }

  private static String role(Path data, String user) throws DatabaseException {
    return "CREATE ROLE " + user + " LOGIN PASSWORD '" + Password.create(data, user) + "';\n";
  }

  /** Says something as the superuser in a database; each line is a statement. */
  void single(Path data, String database, String sql) throws DatabaseException {
    ServerProgram.run(
        List.of(program("postgres"), "--single", "-D", data.toString(), database), sql);
  }

  @Override
  public DatabaseServer start(Path data, String bind, int port, String name)
      throws DatabaseException {
    return ServerProcess.start(bind, port, at -> startAt(data, bind, at, "off"));
  }

  @Override
  public DatabaseServer startReadOnly(Path data, String bind, int port, String name)
      throws DatabaseException {
    return ServerProcess.start(bind, port, at -> startAt(data, bind, at, "on"));
  }

  private DatabaseServer startAt(Path data, String bind, int port, String readOnly)
      throws DatabaseException {
    List<String> command = new ArrayList<>(List.of(program("postgres"), "-D", data.toString()));
    SETTINGS.forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
    command.addAll(List.of("-c", "shared_buffers=" + tuning.bufferMib() + "MB"));
    command.addAll(List.of("-c", "fsync=" + (tuning.flushing() ? "on" : "off")));
    command.addAll(List.of("-c", "default_transaction_read_only=" + readOnly));
    command.addAll(List.of("-c", "listen_addresses=" + bind, "-c", "port=" + port));
    String address = Addresses.of(name(), NAME, Password.read(data, NAME), bind, port, NAME);
    return ServerProcess.run(KIND, command, address, data);
  }

  @Override
  public String readerAddress(Path data, DatabaseServer server) throws DatabaseException {
    URI own = URI.create(server.address());
    String password = Password.read(data, READER);
    return Addresses.of(name(), READER, password, own.getHost(), own.getPort(), NAME);
  }

  private String program(String name) {
    return programs.resolve("bin").resolve(name).toString();
  }
}
