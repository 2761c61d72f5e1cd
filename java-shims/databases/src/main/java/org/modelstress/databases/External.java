package org.modelstress.databases;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A database server that somebody else runs. Its address, with a user who may create databases, is
 * in the environment and nowhere else, for it has a password. A loaded store is a database there; a
 * node serves a copy of it, which goes with the node.
 */
abstract class External implements Database {
  private static final String FILE = "database.name";
  private static final String STORE = "modelstress_store_";

  /** What names of copies begin with. */
  static final String COPY = "modelstress_copy_";

  private static final Pattern OURS =
      Pattern.compile("modelstress_(?:store_[0-9a-f]{16}|copy_(\\d{1,12})_[0-9a-f]{16})");

  private static final int BYTES = 8;
  private static final long OLD_SECONDS = TimeUnit.DAYS.toSeconds(1);

  private final String scheme;
  private final String variable;
  private final String address;

  /**
   * A server.
   *
   * @param scheme of its address
   * @param variable of the environment that has the address
   * @param address null where it is not set
   */
  External(String scheme, String variable, String address) {
    this.scheme = scheme;
    this.variable = variable;
    this.address = address;
  }

  private record Served(String address) implements DatabaseServer {
    @Override
    public void close() {
      // it was there before
    }
  }

  @Override
  public String name() {
    return scheme + "-external";
  }

  @Override
  public String version() throws DatabaseException {
    try (Connection connection = connect()) {
      return connection.getMetaData().getDatabaseProductVersion();
    } catch (SQLException e) {
      throw failed("does not answer", e);
    }
  }

  @Override
  public void prepare(Path folder, Path packed) throws DatabaseException {
    try (Connection connection = connect()) {
      check(connection);
    } catch (SQLException e) {
      throw failed("does not answer", e);
    }
  }

  /**
   * Looks whether the server can do what is asked of it.
   *
   * @throws DatabaseException where not; says what to change
   */
  abstract void check(Connection connection) throws SQLException, DatabaseException;

  /** Makes a database that is the same as another one; both names are ours. */
  abstract void copy(Statement statement, String from, String to)
      throws SQLException, InterruptedException;

  /** A query for names of databases of this user that begin as copies do and that nobody uses. */
  abstract String unusedCopies();

  /** Drops a database, whoever uses it. */
  abstract String drop(String database);

  /** The variable of the environment, for messages. */
  String variable() {
    return variable;
  }

  /** One database for each folder: what a former load left there is gone. */
  @Override
  public void create(Path data, String name) throws DatabaseException {
    String made = STORE + Sha256.of(data.toAbsolutePath().toString()).substring(0, 2 * BYTES);
    change(
        statement -> {
          statement.execute(drop(made));
          statement.execute("CREATE DATABASE " + made);
        });
    remember(data, made);
  }

  @Override
  public void unpack(Path file, Path data) throws DatabaseException, IOException {
    Path packed = data.resolveSibling(data.getFileName() + ".packed");
    Tar.unpack(file, packed);
    byte[] random = new byte[BYTES];
    new SecureRandom().nextBytes(random);
    String hex = HexFormat.of().formatHex(random);
    String made = COPY + Instant.now().getEpochSecond() + "_" + hex;
    String from = known(packed);
    change(statement -> copy(statement, from, made));
    remember(data, made);
    dropOld();
  }

  @Override
  public DatabaseServer start(Path data, String bind, int port, String name)
      throws DatabaseException {
    String there = Addresses.inDatabase(address, known(data));
    try (Connection connection = DriverManager.getConnection(Addresses.jdbc(there))) {
      connection.isValid(1);
      return new Served(there);
    } catch (SQLException e) {
      throw failed("does not have database " + known(data) + " any more; load the store again", e);
    }
  }

  @Override
  public void discard(Path data) throws DatabaseException {
    String copy = known(data);
    if (copy.startsWith(COPY)) {
      change(statement -> statement.execute(drop(copy)));
    }
  }

  /** Copies whose node was killed before it could drop them: a day old, and nobody is there. */
  private void dropOld() throws DatabaseException {
    List<String> old = new ArrayList<>();
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(unusedCopies())) {
      while (rows.next()) {
        Matcher ours = OURS.matcher(rows.getString(1));
        long now = Instant.now().getEpochSecond();
        if (ours.matches()
            && ours.group(1) != null
            && now - Long.parseLong(ours.group(1)) > OLD_SECONDS) {
          old.add(rows.getString(1));
        }
      }
    } catch (SQLException e) {
      throw failed("does not tell its databases", e);
    }
    for (String copy : old) {
      change(statement -> statement.execute("DROP DATABASE IF EXISTS " + copy));
    }
  }

  @FunctionalInterface
  private interface Work {
    void with(Statement statement) throws SQLException, InterruptedException;
  }

  /** Names in statements are ours, of letters and digits. */
  private void change(Work work) throws DatabaseException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      work.with(statement);
    } catch (SQLException e) {
      throw failed("refused a change of its databases", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DatabaseException("waiting for a database was interrupted", e);
    }
  }

  private Connection connect() throws SQLException, DatabaseException {
    if (address == null) {
      throw new DatabaseException(
          "backend "
              + name()
              + " wants the address of a server in the environment: "
              + variable
              + "="
              + scheme
              + "://user:password@host:port/database, of a user who may create databases",
          null);
    }
    try {
      return DriverManager.getConnection(Addresses.jdbc(address));
    } catch (IllegalArgumentException e) {
      throw new DatabaseException(variable + ": " + e.getMessage(), e);
    }
  }

  private DatabaseException failed(String what, SQLException cause) {
    return new DatabaseException(
        "the server at " + variable + " " + what + ": " + cause.getMessage(), cause);
  }

  private static void remember(Path data, String database) throws DatabaseException {
    try {
      Files.createDirectories(data);
      Files.writeString(data.resolve(FILE), database);
    } catch (IOException e) {
      throw new DatabaseException("cannot write to " + data + ": " + e, e);
    }
  }

  /** The database of a folder; what comes from a file goes into statements only if it is ours. */
  private static String known(Path data) throws DatabaseException {
    try {
      String name = Files.readString(data.resolve(FILE));
      if (OURS.matcher(name).matches()) {
        return name;
      }
    } catch (IOException e) {
      throw new DatabaseException(data + " has no name of a database: " + e, e);
    }
    throw new DatabaseException(
        data.resolve(FILE) + " has no name of a database of modelstress", null);
  }
}
