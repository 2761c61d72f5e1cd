package org.modelstress.databases;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a server that the tool did not start, with a password that an address has to escape. */
class ExternalPostgresTest {
  @TempDir private static Path running;
  @TempDir private Path folder;

  private static DatabaseServer server;
  private static String address;

  @BeforeAll
  static void start() throws Exception {
    Postgres postgres = new Postgres(Tuning.DEFAULT);
    postgres.prepare(running, null);
    Path data = running.resolve("data");
    postgres.create(data, "any");
    postgres.single(
        data, "postgres", "CREATE ROLE researcher LOGIN CREATEDB PASSWORD 'a&b=c/d';\n");
    Files.writeString(
        data.resolve("pg_hba.conf"),
        "host all researcher samehost scram-sha-256\nhost all modelstress samehost scram-sha-256\n");
    server = postgres.start(data, "127.0.0.1", 0, "any");
    address =
        server
            .address()
            .replaceFirst("modelstress:[0-9a-f]{32}@", "researcher:a&b=c%2Fd@")
            .replaceFirst("/modelstress$", "/postgres");
  }

  @AfterAll
  static void end() {
    server.close();
  }

  private static void execute(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static TreeSet<String> found(String url, String sql) throws SQLException {
    TreeSet<String> found = new TreeSet<>();
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        found.add(rows.getString(1));
      }
    }
    return found;
  }

  private static TreeSet<String> databases() throws SQLException {
    return found(
        Addresses.jdbc(address),
        "SELECT datname FROM pg_database WHERE datname LIKE 'modelstress!_%' ESCAPE '!'");
  }

  @Test
  void aNodeHasACopyThatGoesWithIt() throws Exception {
    Database database = new ExternalPostgres(address);
    assertTrue(database.version().startsWith("17."), database.version());
    database.prepare(folder, null);
    Path data = folder.resolve("data");
    database.create(data, "ds1");
    database.create(data, "ds1"); // loaded again: instead of the former
    DatabaseServer loading = database.start(data, "127.0.0.1", 0, "ds1");
    execute(loading.jdbc(), "CREATE TABLE kept (id INT)");
    execute(loading.jdbc(), "INSERT INTO kept VALUES (1)");
    loading.close();
    Path packed = folder.resolve("ds1.tar");
    database.pack(data, packed);
    assertEquals(1, databases().size());

    Path copy = folder.resolve("copy");
    database.unpack(packed, copy);
    DatabaseServer node = database.start(copy, "127.0.0.1", 0, "ds1");
    assertNotEquals(loading.address(), node.address());
    execute(node.jdbc(), "UPDATE kept SET id = 2");
    node.close(); // as after a kill: with the same folder it goes on
    DatabaseServer again = database.start(copy, "127.0.0.1", 0, "ds1");
    assertEquals("[2]", found(again.jdbc(), "SELECT id FROM kept").toString());
    assertEquals("[1]", found(loading.jdbc(), "SELECT id FROM kept").toString());
    again.close();
    database.discard(copy);
    assertEquals(1, databases().size(), "the store stays");
    DatabaseException gone =
        assertThrows(DatabaseException.class, () -> database.start(copy, "127.0.0.1", 0, "ds1"));
    assertTrue(gone.getMessage().contains("load the store again"), gone.getMessage());
    database.discard(data);
    assertEquals(1, databases().size(), "a store is no copy");
  }

  @Test
  void copiesOfNodesThatWereKilledGoAfterADay() throws Exception {
    Database database = new ExternalPostgres(address);
    Path data = folder.resolve("data");
    database.create(data, "ds1");
    Path packed = folder.resolve("ds1.tar");
    database.pack(data, packed);
    String old = "modelstress_copy_1700000000_0123456789abcdef";
    String others = "modelstress_copy_of_mine";
    execute(Addresses.jdbc(address), "CREATE DATABASE " + old);
    execute(Addresses.jdbc(address), "CREATE DATABASE " + others);
    database.unpack(packed, folder.resolve("copy"));
    assertFalse(databases().contains(old));
    assertTrue(databases().contains(others), "what is not ours stays");
    database.discard(folder.resolve("copy"));
    execute(Addresses.jdbc(address), "DROP DATABASE " + others);
  }

  @Test
  void aFolderThatNamesAnotherDatabaseIsRefused() throws Exception {
    Database database = new ExternalPostgres(address);
    Path data = Files.createDirectory(folder.resolve("data"));
    Files.writeString(data.resolve("database.name"), "postgres; DROP DATABASE postgres");
    assertThrows(DatabaseException.class, () -> database.discard(data));
    assertThrows(DatabaseException.class, () -> database.start(data, "127.0.0.1", 0, "ds1"));
  }

  @Test
  void withoutAnAddressTheVariableIsNamed() {
    DatabaseException none =
        assertThrows(
            DatabaseException.class, () -> new ExternalPostgres(null).prepare(folder, null));
    assertTrue(none.getMessage().contains("MODELSTRESS_POSTGRESQL="), none.getMessage());
    DatabaseException wrong =
        assertThrows(
            DatabaseException.class, () -> new ExternalPostgres("nonsense").prepare(folder, null));
    assertTrue(wrong.getMessage().contains("user:password@host:port"), wrong.getMessage());
  }
}
