package org.modelstress.databases;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** MariaDB's programs, which are beside the jars of this module. */
class MariaDbTest {
  @TempDir private Path folder;

  private static void execute(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String found(String url, String sql) throws SQLException {
    TreeSet<String> values = new TreeSet<>();
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        values.add(String.valueOf(rows.getString(1)));
      }
    }
    return values.toString();
  }

  @Test
  void aCopyHasWhatTheOriginalHadAndClientsOwnOneDatabase() throws Exception {
    MariaDb database = new MariaDb(Tuning.DEFAULT);
    database.prepare(folder, null);
    Path data = folder.resolve("data");
    database.create(data, "any");
    int port;
    try (DatabaseServer server = database.start(data, "127.0.0.1", 0, "any")) {
      execute(server.jdbc(), "CREATE TABLE kept (id INT)");
      execute(server.jdbc(), "INSERT INTO kept VALUES (1), (2)");
      String version = found(server.jdbc(), "SELECT version()");
      assertTrue(version.startsWith("[" + database.version()), version);
      for (String sql :
          new String[] {
            "SELECT load_file('/etc/passwd')",
            "SELECT 1 INTO OUTFILE '" + folder.resolve("outfile") + "'",
            "CREATE DATABASE another",
            "SELECT * FROM mysql.global_priv",
            "SET GLOBAL general_log = ON"
          }) {
        String got;
        try {
          got = found(server.jdbc(), sql);
        } catch (SQLException e) {
          continue; // refused
        }
        assertEquals("[null]", got.replace("[]", "[null]"), sql);
      }
      port = java.net.URI.create(server.address()).getPort();
    }
    Path packed = folder.resolve("packed.tar");
    database.pack(data, packed);
    database.unpack(packed, folder.resolve("copy"));
    try (DatabaseServer copy = database.start(folder.resolve("copy"), "127.0.0.1", port, "any")) {
      assertEquals("[1, 2]", found(copy.jdbc(), "SELECT id FROM kept"));
    }
  }

  @Test
  void aServerThatStartsTakesNoTemporaryTablesOfAnother() throws Exception {
    MariaDb database = new MariaDb(Tuning.DEFAULT);
    Path data = folder.resolve("data");
    database.create(data, "any");
    try (DatabaseServer server = database.start(data, "127.0.0.1", 0, "any");
        Connection connection = DriverManager.getConnection(server.jdbc());
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TEMPORARY TABLE kept (id INT) ENGINE = Aria");
      statement.execute("INSERT INTO kept VALUES (1)");
      database.create(folder.resolve("other"), "any");
      // a table whose files are gone can neither be copied nor dropped
      statement.execute("ALTER TABLE kept ADD COLUMN more INT");
      try (ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM kept")) {
        assertTrue(rows.next());
        assertEquals(1, rows.getInt(1));
      }
      statement.execute("DROP TABLE kept");
      assertEquals(
          "[information_schema, modelstress]",
          found(server.jdbc(), "SELECT schema_name FROM information_schema.schemata"));
    }
  }

  @Test
  void aPortThatIsTakenIsSaid() throws Exception {
    MariaDb database = new MariaDb(Tuning.DEFAULT);
    Path data = folder.resolve("data");
    database.create(data, "any");
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      DatabaseException e =
          assertThrows(
              DatabaseException.class,
              () -> database.start(data, "127.0.0.1", taken.getLocalPort(), "any"));
      assertTrue(e.portIsBusy(), e.getMessage());
    }
  }

  @Test
  void aServerOfSomebodyElseHasStoresAndCopies() throws Exception {
    MariaDb running = new MariaDb(Tuning.DEFAULT);
    Path theirs = folder.resolve("theirs");
    running.create(theirs, "any");
    running.single(
        theirs,
        "FLUSH PRIVILEGES;\nCREATE USER researcher IDENTIFIED BY 'a=b/c';\n"
            + "GRANT ALL ON *.* TO researcher;\nCREATE DATABASE research;\n");
    try (DatabaseServer server = running.start(theirs, "127.0.0.1", 0, "any")) {
      String address =
          server
              .address()
              .replaceFirst("modelstress:[0-9a-f]{32}@", "researcher:a=b%2Fc@")
              .replaceFirst("/modelstress$", "/research");
      Database database = new ExternalMariaDb(address);
      database.prepare(folder, null);
      Path data = folder.resolve("data");
      database.create(data, "any");
      DatabaseServer loading = database.start(data, "127.0.0.1", 0, "any");
      execute(loading.jdbc(), "CREATE TABLE kept (id INT PRIMARY KEY)");
      execute(loading.jdbc(), "INSERT INTO kept VALUES (1)");
      Path packed = folder.resolve("store.tar");
      database.pack(data, packed);
      Path copy = folder.resolve("copy");
      database.unpack(packed, copy);
      DatabaseServer node = database.start(copy, "127.0.0.1", 0, "any");
      assertNotEquals(loading.address(), node.address());
      execute(node.jdbc(), "UPDATE kept SET id = 2");
      assertEquals("[2]", found(node.jdbc(), "SELECT id FROM kept"));
      assertEquals("[1]", found(loading.jdbc(), "SELECT id FROM kept"));
      assertThrows(
          SQLException.class,
          () -> execute(node.jdbc(), "INSERT INTO kept VALUES (2)"),
          "no index");
      database.discard(copy);
      String names =
          found(
              Addresses.jdbc(address),
              "SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE"
                  + " 'modelstress!_%' ESCAPE '!'");
      assertTrue(names.startsWith("[modelstress_store_") && !names.contains(","), names);
    }
    DatabaseException none =
        assertThrows(
            DatabaseException.class, () -> new ExternalMariaDb(null).prepare(folder, null));
    assertTrue(none.getMessage().contains("MODELSTRESS_MARIADB="), none.getMessage());
  }
}
