package org.modelstress.topology.tool;

import org.modelstress.databases.Database;
import org.modelstress.databases.DatabaseNode;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.connection.jdbc.SchemaCreator;

/** A node that is a store: a database server on a private copy of what was loaded. */
final class StoreNode {
  private StoreNode() {}

  static DatabaseNode start(ServerConfig config, Topology topology, String protocol, int port)
      throws ServerException {
    String name = config.node();
    if (!topology.stores().containsKey(name)) {
      throw TopologyServer.wrong(
          "node: the topology has no store " + name + "; it has " + topology.stores());
    }
    Database database = LoadedStores.database(config);
    return DatabaseNode.start(
        config,
        protocol,
        () ->
            DatabaseNode.onOwn(
                config,
                database,
                config.store() == null ? null : LoadedStores.of(config.store(), database),
                name,
                port,
                jdbc -> SchemaCreator.create(jdbc, topology, name)));
  }
}
