package org.modelstress.metadata.tool;

import java.io.IOException;
import java.sql.SQLException;
import java.util.Map;
import org.modelstress.databases.DatabaseException;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.metadata.objects.MetadataException;

/** The nodes of the tool: a database, and where clients reach it over the web a service. */
public final class MetadataServer implements ToolServer {
  private static final String DATABASE = "database";
  private static final String SERVICE = "service";

  @Override
  public void load(ServerConfig config, Progress progress) throws ServerException {
    if (config.dataset() == null) {
      throw wrong("dataset: is missing, and metadata loads nothing else");
    }
    try {
      LoadedStore.load(config, Settings.of(config), progress);
    } catch (DatabaseException | MetadataException e) {
      throw new ServerException(Exit.INTERNAL, e.getMessage(), e);
    } catch (SQLException e) {
      throw new ServerException(Exit.INTERNAL, "the database failed: " + e.getMessage(), e);
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
    Settings settings = Settings.of(config);
    return switch (config.role()) {
      case DATABASE -> StoreNode.start(config, settings, port.getKey(), port.getValue());
      case SERVICE -> ServiceNode.start(config, settings, port.getKey(), port.getValue());
      default ->
          throw wrong("role: is " + config.role() + "; a node is a " + DATABASE + " or " + SERVICE);
    };
  }

  static ServerException wrong(String what) {
    return new ServerException(Exit.CONFIG, what, null);
  }
}
