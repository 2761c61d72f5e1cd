package org.modelstress.metadata.tool;

import java.io.IOException;
import org.modelstress.databases.Database;
import org.modelstress.databases.DatabaseException;
import org.modelstress.databases.DatabaseNode;
import org.modelstress.databases.DatabaseServer;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.metadata.store.ObjectStore;

/** A node that is a database server: on a private copy of what was loaded, or in its place. */
final class StoreNode {
  private StoreNode() {}

  static DatabaseNode start(ServerConfig config, Settings settings, String protocol, int port)
      throws ServerException {
    Database database = settings.database(config);
    return DatabaseNode.start(
        config,
        protocol,
        () -> {
          LoadedStore store =
              config.store() == null ? null : new LoadedStore(config.store(), database);
          return store != null && store.isInPlace()
              ? inPlace(config, database, store, port)
              : DatabaseNode.onOwn(
                  config,
                  database,
                  store == null ? null : store.packed(),
                  LoadedStore.NAME,
                  port,
                  jdbc -> ObjectStore.create(jdbc, settings.layout(), settings.indexes()));
        });
  }

  private static DatabaseNode.Started inPlace(
      ServerConfig config, Database database, LoadedStore store, int port)
      throws ServerException, DatabaseException, IOException {
    AutoCloseable use = store.use();
    database.prepare(config.work(), store.programs());
    DatabaseServer server =
        database.startReadOnly(store.data(), config.bind(), port, LoadedStore.NAME);
    return new DatabaseNode.Started(server, use);
  }
}
