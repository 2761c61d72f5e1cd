package org.modelstress.databases;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseTest {
  @TempDir private Path folder;

  private static Database prepared(String name, Path folder) throws Exception {
    Database database = Database.of(name);
    database.prepare(folder, null);
    return database;
  }

  private static long count(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT count(*) FROM kept")) {
      row.next();
      return row.getLong(1);
    }
  }

  private static void execute(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"postgresql", "h2"})
  void aCopyHasWhatTheOriginalHad(String name) throws Exception {
    Database database = prepared(name, folder);
    Path data = folder.resolve("data");
    database.create(data, "ds1");
    try (DatabaseServer server = database.start(data, "127.0.0.1", 0, "ds1")) {
      execute(server.jdbc(), "CREATE TABLE kept (id INT)");
      execute(server.jdbc(), "INSERT INTO kept VALUES (1), (2)");
      assertEquals(2, count(server.jdbc()));
      String wrong = server.address().replaceFirst(":[0-9a-f]{32}@", ":00@");
      assertThrows(SQLException.class, () -> count(Addresses.jdbc(wrong)), "wrong password");
    }
    Path packed = folder.resolve("ds1.tar");
    database.pack(data, packed);
    Path copy = folder.resolve("copy");
    database.unpack(packed, copy);
    try (DatabaseServer server = database.start(copy, "127.0.0.1", 0, "ds1")) {
      assertEquals(2, count(server.jdbc()));
    }
  }

  @Test
  void whatWasCommittedOutlivesAKill() throws Exception {
    Database database = prepared("postgresql", folder);
    Path data = folder.resolve("data");
    database.create(data, "ds1");
    DatabaseServer killed = database.start(data, "127.0.0.1", 0, "ds1");
    execute(killed.jdbc(), "CREATE TABLE kept (id INT)");
    execute(killed.jdbc(), "INSERT INTO kept VALUES (1)");
    long pid = Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0));
    ProcessHandle.of(pid).orElseThrow().destroyForcibly();
    ProcessHandle.of(pid).ifPresent(handle -> handle.onExit().join());
    killed.close();
    try (DatabaseServer server = database.start(data, "127.0.0.1", 0, "ds1")) {
      assertEquals(1, count(server.jdbc()));
      try (Connection connection = DriverManager.getConnection(server.jdbc());
          Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery("SHOW server_version")) {
        row.next();
        assertTrue(row.getString(1).startsWith(database.version()), row.getString(1));
        assertThrows(
            SQLException.class,
            () -> statement.execute("COPY (SELECT 1) TO PROGRAM 'true'"),
            "a client may run programs");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"postgresql", "h2"})
  void aPortThatIsTakenIsSaid(String name) throws Exception {
    Database database = prepared(name, folder);
    Path data = folder.resolve("data");
    database.create(data, "ds1");
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      DatabaseException e =
          assertThrows(
              DatabaseException.class,
              () -> database.start(data, "127.0.0.1", taken.getLocalPort(), "ds1"));
      assertTrue(e.portIsBusy(), e.getMessage());
    }
  }

  @Test
  void otherDatabasesAreNotKnown() {
    assertNull(Database.of("oracle"));
    assertNull(Database.of(null));
    String address = "postgresql://127.0.0.1:1/x";
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> Addresses.jdbc(address));
    assertTrue(e.getMessage().contains("user:password@host:port"), e.getMessage());
  }
}
