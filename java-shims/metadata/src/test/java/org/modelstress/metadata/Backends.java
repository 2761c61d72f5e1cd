package org.modelstress.metadata;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.modelstress.databases.Database;
import org.modelstress.databases.DatabaseServer;
import org.modelstress.metadata.service.Configuration;
import org.modelstress.metadata.service.LocalService;
import org.modelstress.metadata.store.ObjectStore;

/** Real databases for tests, each started when a test asks for it first. */
public final class Backends {
  private static final int CONNECTIONS = 32;
  private static final long TIMEOUT_MILLIS = 20_000;

  private final Path folder;
  private final Map<String, DatabaseServer> servers = new LinkedHashMap<>();
  private final List<AutoCloseable> opened = new ArrayList<>();

  public Backends(Path folder) {
    this.folder = folder;
  }

  /** URL for JDBC of an empty database with tables. */
  public String url(String backend, String layout) throws Exception {
    String name = backend + "-" + layout;
    DatabaseServer server = servers.get(name);
    if (server == null) {
      Database database = Database.of(backend);
      Path own = folder.resolve(name);
      java.nio.file.Files.createDirectories(own);
      database.prepare(own, null);
      database.create(own.resolve("data"), "metadata");
      server = database.start(own.resolve("data"), "127.0.0.1", 0, "metadata");
      servers.put(name, server);
      ObjectStore.create(server.jdbc(), layout, true);
    }
    return server.jdbc();
  }

  /** A service of its own on a database that others use, too. */
  public LocalService service(String backend, String layout, String control, String cache)
      throws Exception {
    LocalService service =
        new LocalService(
            ObjectStore.of(url(backend, layout), layout, CONNECTIONS),
            new Configuration(control, cache, 1_000, TIMEOUT_MILLIS));
    opened.add(service);
    return service;
  }

  /** Ends with the databases. */
  public <T extends AutoCloseable> T closing(T what) {
    opened.add(0, what);
    return what;
  }

  /** Ends all of them, and what they were opened for. */
  public void close() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
    servers.values().forEach(DatabaseServer::close);
  }
}
