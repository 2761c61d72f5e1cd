package org.modelstress.topology.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
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
 * A PostgreSQL that somebody else runs. Its address, with a role that may create databases, is in
 * the environment and nowhere else, for it has a password. A loaded store is a database there; a
 * node serves a copy of it, which goes with the node.
 */
final class ExternalPostgres implements Database {
  /** The address: {@code postgresql://user:password@host:port/database}. */
  static final String VARIABLE = "MODELSTRESS_POSTGRESQL";

  private static final String FILE = "database.name";
  private static final String STORE = "modelstress_store_";
  private static final String COPY = "modelstress_copy_";
  private static final Pattern OURS =
      Pattern.compile("modelstress_(?:store_[0-9a-f]{16}|copy_(\\d{1,12})_[0-9a-f]{16})");

  private static final int BYTES = 8;
  private static final long OLD_SECONDS = TimeUnit.DAYS.toSeconds(1);
  private static final int TRIES = 50;
  private static final long AGAIN_MILLIS = 200;
  private static final String IN_USE = "55006";

  private final String address;

  ExternalPostgres(String address) {
    this.address = address;
  }

  private record Served(String address) implements StoreServer {
    @Override
    public void close() {
      // it was there before
    }
  }

  @Override
  public String name() {
    return "postgresql-external";
  }

  @Override
  public String version() throws StoreException {
    try (Connection connection = connect()) {
      return connection.getMetaData().getDatabaseProductVersion();
    } catch (SQLException e) {
      throw failed("does not answer", e);
    }
  }

  @Override
  public void prepare(Path folder, Path packed) throws StoreException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW max_prepared_transactions")) {
      row.next();
      if (row.getInt(1) == 0) {
        throw new StoreException(
            "the server at "
                + VARIABLE
                + " prepares no transactions, as those on several stores"
                + " need; set its max_prepared_transactions to 400 and start it again",
            null);
      }
    } catch (SQLException e) {
      throw failed("does not answer", e);
    }
  }

  /** One database for each folder: what a former load left there is gone. */
  @Override
  public void create(Path data, String name) throws StoreException {
    String made = STORE + hash(data);
    change("DROP DATABASE IF EXISTS " + made + " WITH (FORCE)", "CREATE DATABASE " + made);
    remember(data, made);
  }

  @Override
  public void unpack(Path file, Path data) throws StoreException, IOException {
    Path packed = data.resolveSibling(data.getFileName() + ".packed");
    Tar.unpack(file, packed);
    byte[] random = new byte[BYTES];
    new SecureRandom().nextBytes(random);
    String hex = HexFormat.of().formatHex(random);
    String copy = COPY + Instant.now().getEpochSecond() + "_" + hex;
    change("CREATE DATABASE " + copy + " TEMPLATE " + known(packed));
    remember(data, copy);
    dropOld();
  }

  @Override
  public StoreServer start(Path data, String bind, int port, String name) throws StoreException {
    String there = Addresses.inDatabase(address, known(data));
    try (Connection connection = DriverManager.getConnection(Addresses.jdbc(there))) {
      connection.isValid(1);
      return new Served(there);
    } catch (SQLException e) {
      throw failed("does not have database " + known(data) + " any more; load the store again", e);
    }
  }

  @Override
  public void discard(Path data) throws StoreException {
    String copy = known(data);
    if (copy.startsWith(COPY)) {
      change("DROP DATABASE IF EXISTS " + copy + " WITH (FORCE)");
    }
  }

  /** Copies whose node was killed before it could drop them: a day old, and nobody is there. */
  private void dropOld() throws StoreException {
    String asked =
        "SELECT datname FROM pg_database d WHERE datname LIKE ? AND datdba = current_user::regrole"
            + " AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.datid = d.oid)";
    List<String> old = new ArrayList<>();
    try (Connection connection = connect();
        PreparedStatement statement = connection.prepareStatement(asked)) {
      statement.setString(1, COPY.replace("_", "\\_") + "%");
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          Matcher ours = OURS.matcher(rows.getString(1));
          long now = Instant.now().getEpochSecond();
          if (ours.matches() && now - Long.parseLong(ours.group(1)) > OLD_SECONDS) {
            old.add(rows.getString(1));
          }
        }
      }
    } catch (SQLException e) {
      throw failed("does not tell its databases", e);
    }
    for (String copy : old) {
      change("DROP DATABASE IF EXISTS " + copy);
    }
  }

  /** Names in it are ours, of letters and digits; a template that is in use is waited for. */
  private void change(String... statements) throws StoreException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        executeOnceFree(statement, sql);
      }
    } catch (SQLException e) {
      throw failed("refused a change of its databases", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("waiting for a database was interrupted", e);
    }
  }

  private static void executeOnceFree(Statement statement, String sql)
      throws SQLException, InterruptedException {
    for (int tries = 1; ; tries++) {
      try {
        statement.execute(sql);
        return;
      } catch (SQLException e) {
        if (!IN_USE.equals(e.getSQLState()) || tries == TRIES) {
          throw e;
        }
        TimeUnit.MILLISECONDS.sleep(AGAIN_MILLIS);
      }
    }
  }

  private Connection connect() throws SQLException, StoreException {
    if (address == null) {
      throw new StoreException(
          "backend "
              + name()
              + " wants the address of a PostgreSQL in the environment: "
              + VARIABLE
              + "=postgresql://user:password@host:port/database, of a role that may create"
              + " databases",
          null);
    }
    try {
      return DriverManager.getConnection(Addresses.jdbc(address));
    } catch (IllegalArgumentException e) {
      throw new StoreException(VARIABLE + ": " + e.getMessage(), e);
    }
  }

  private static StoreException failed(String what, SQLException cause) {
    return new StoreException(
        "the server at " + VARIABLE + " " + what + ": " + cause.getMessage(), cause);
  }

  private static void remember(Path data, String database) throws StoreException {
    try {
      Files.createDirectories(data);
      Files.writeString(data.resolve(FILE), database);
    } catch (IOException e) {
      throw new StoreException("cannot write to " + data + ": " + e, e);
    }
  }

  /** The database of a folder; what comes from a file goes into statements only if it is ours. */
  private static String known(Path data) throws StoreException {
    try {
      String name = Files.readString(data.resolve(FILE));
      if (OURS.matcher(name).matches()) {
        return name;
      }
    } catch (IOException e) {
      throw new StoreException(data + " has no name of a database: " + e, e);
    }
    throw new StoreException(
        data.resolve(FILE) + " has no name of a database of modelstress", null);
  }

  private static String hash(Path data) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(data.toAbsolutePath().toString().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }
}
