package org.modelstress.postgresql;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.modelstress.databases.Addresses;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;

/** A model that was loaded and is served by a real PostgreSQL, and its clients. */
final class Served implements AutoCloseable {
  private final ToolServer.Running running;
  final String address;

  Served(Path model, Path folder) throws Exception {
    load(model, folder);
    running = new PostgresqlServer().serve(config(model, folder));
    address = running.endpoints().get("tcp");
  }

  static void load(Path model, Path folder) throws Exception {
    Files.createDirectories(folder.resolve("work"));
    new PostgresqlServer().load(config(model, folder), (done, total) -> {});
  }

  static ServerConfig config(Path model, Path folder) {
    return new ServerConfig(
        "postgresql",
        "postgresql",
        model,
        folder.resolve("store"),
        folder.resolve("work"),
        "127.0.0.1",
        Map.of("tcp", 0),
        List.of(),
        Map.of("buffer_mib", 64));
  }

  Driver.Session open(long timeoutMillis) throws DriverException {
    return open(address, timeoutMillis);
  }

  static Driver.Session open(String address, long timeoutMillis) throws DriverException {
    return new PostgresqlDriver()
        .open(new Endpoint(URI.create(address)), new Options(timeoutMillis, Map.of()));
  }

  static Operation operation(String text, String... tuple) {
    return new Operation("Q", text, Map.of("language", "sql", "tuple", List.of(tuple)), 0);
  }

  Outcome ask(String text, String... tuple) throws DriverException {
    try (Driver.Session session = open(20_000)) {
      return session.execute(operation(text, tuple));
    }
  }

  /** Rows of a query as texts, null where there is NULL. */
  List<List<String>> rows(String sql) throws SQLException {
    return rows(Addresses.jdbc(address), sql);
  }

  /** The same of any server. */
  static List<List<String>> rows(String jdbc, String sql) throws SQLException {
    List<List<String>> found = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(jdbc);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      int columns = rows.getMetaData().getColumnCount();
      while (rows.next()) {
        List<String> row = new ArrayList<>();
        for (int column = 1; column <= columns; column++) {
          row.add(rows.getString(column));
        }
        found.add(Collections.unmodifiableList(row));
      }
    }
    return found;
  }

  /** A connection that a client has who asks for no limits. */
  Connection connect() throws SQLException {
    return DriverManager.getConnection(Addresses.jdbc(address));
  }

  @Override
  public void close() {
    running.close();
  }
}
