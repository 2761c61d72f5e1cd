package org.modelstress.metadata.tool;

import java.util.Map;
import org.modelstress.databases.Addresses;
import org.modelstress.harness.server.Ports;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.service.LocalService;
import org.modelstress.metadata.service.MetadataService;
import org.modelstress.metadata.store.ObjectStore;
import org.modelstress.metadata.web.WebServer;

/** A node that is a service with a web API, on the database of another node. */
final class ServiceNode implements ToolServer.Running {
  private static final int CONNECTIONS = 100;

  private final WebServer server;
  private final MetadataService service;

  private ServiceNode(WebServer server, MetadataService service) {
    this.server = server;
    this.service = service;
  }

  static ServiceNode start(ServerConfig config, Settings settings, String protocol, int port)
      throws ServerException {
    if (!protocol.equals("http")) {
      throw MetadataServer.wrong("ports: a service speaks http, not " + protocol);
    }
    Map<String, String> peer = config.peers().get("database");
    if (peer == null) {
      throw MetadataServer.wrong("peers: there is no database");
    }
    String jdbc;
    try {
      jdbc = Addresses.jdbc(peer.values().iterator().next());
    } catch (IllegalArgumentException e) {
      throw new ServerException(Exit.CONFIG, "peers.database: " + e.getMessage(), e);
    }
    MetadataService service =
        new LocalService(
            ObjectStore.of(jdbc, settings.layout(), CONNECTIONS), settings.configuration());
    try {
      service.types(); // a database that is not there is better known now
      return new ServiceNode(WebServer.start(service, config.bind(), port), service);
    } catch (MetadataException e) {
      service.close();
      throw new ServerException(Exit.INTERNAL, e.getMessage(), e);
    } catch (Exception e) {
      service.close();
      throw Ports.isBusy(e)
          ? Ports.busy(config.bind(), port, e)
          : new ServerException(Exit.INTERNAL, "cannot listen: " + e.getMessage(), e);
    }
  }

  @Override
  public Map<String, String> endpoints() {
    return server.endpoints();
  }

  @Override
  public void close() {
    server.close();
    service.close();
  }
}
