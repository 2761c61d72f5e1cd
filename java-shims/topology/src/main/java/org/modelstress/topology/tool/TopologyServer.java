package org.modelstress.topology.tool;

import java.io.IOException;
import java.sql.SQLException;
import java.util.Map;
import org.modelstress.databases.DatabaseException;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.topology.config.ConfigException;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.datasets.DatasetException;

/**
 * The nodes of a topology: stores and object managers, each of the name that the configuration file
 * gives it. Its role says which of both it is.
 */
public final class TopologyServer implements ToolServer {
  private static final String STORE = "store";
  private static final String MANAGER = "manager";

  @Override
  public void load(ServerConfig config, Progress progress) throws ServerException {
    if (config.dataset() == null) {
      throw wrong("dataset: is missing, and topology loads nothing else");
    }
    Topology topology = topology(() -> Configured.distribution(config.options()));
    try {
      LoadedStores.load(config, topology, progress);
    } catch (DatasetException e) {
      throw new ServerException(Exit.MODEL, e.getMessage(), e);
    } catch (DatabaseException e) {
      throw new ServerException(Exit.INTERNAL, e.getMessage(), e);
    } catch (SQLException e) {
      throw new ServerException(Exit.INTERNAL, "a store failed: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new ServerException(
          Exit.INTERNAL, "cannot write store " + config.store() + ": " + e, e);
    }
  }

  @Override
  public Running serve(ServerConfig config) throws ServerException {
    if (config.ports().size() != 1) {
      throw wrong("ports: one protocol is served at a time, not " + config.ports().keySet());
    }
    Map.Entry<String, Integer> port = config.ports().entrySet().iterator().next();
    return switch (config.role()) {
      case STORE -> {
        Topology topology = topology(() -> Configured.distribution(config.options()));
        yield StoreNode.start(config, topology, port.getKey(), port.getValue());
      }
      case MANAGER -> {
        Topology topology = topology(() -> Configured.topology(config.options(), port.getKey()));
        yield ManagerNode.start(config, topology, port.getKey(), port.getValue());
      }
      default ->
          throw wrong("role: is " + config.role() + "; a node is a " + STORE + " or " + MANAGER);
    };
  }

  private interface Reading {
    Topology read() throws ConfigException;
  }

  private static Topology topology(Reading reading) throws ServerException {
    try {
      return reading.read();
    } catch (ConfigException e) {
      throw new ServerException(Exit.CONFIG, e.getMessage(), e);
    }
  }

  static ServerException wrong(String what) {
    return new ServerException(Exit.CONFIG, what, null);
  }
}
