package org.modelstress.cdo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.eclipse.net4j.util.om.OMPlatform;
import org.modelstress.harness.serial.SerialFilter;
import org.modelstress.harness.server.SealedFolder;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.models.ModelException;
import org.modelstress.models.ModelSource;

/** Eclipse CDO on H2 as a tool under test. */
public final class CdoServer implements ToolServer {
  private static final String BACKEND = "h2";
  private static final long CLOSE_DEADLINE_MS = 1_000;

  static {
    SerialFilter.install(); // for programs that are not ServerMain
    // stdout is for the READY line alone
    OMPlatform.INSTANCE.addLogHandler(new ServerLog(System.err));
  }

  @Override
  public void load(ServerConfig config, Progress progress) throws ServerException {
    ServerOptions options = checked(config);
    SealedFolder store = StoreFolder.at(config.requiredStore());
    try {
      load(ModelSource.read(config.requiredModel()), store, options, progress);
    } catch (ModelException e) {
      throw new ServerException(Exit.MODEL, e.getMessage(), e);
    } catch (IOException e) {
      throw new ServerException(
          Exit.INTERNAL, "Store " + config.store() + " cannot be written: " + e.getMessage(), e);
    }
  }

  private static void load(
      ModelSource model, SealedFolder store, ServerOptions options, Progress progress)
      throws ModelException, IOException {
    Path loading = store.beginLoad();
    boolean loaded = false;
    try {
      int elements = Loader.load(model, loading, options, progress);
      Files.deleteIfExists(loading.resolve(StoreFolder.TRACE));
      store.endLoad(model.sha256(), elements, Map.of());
      loaded = true;
    } finally {
      if (!loaded) {
        store.abandonLoad();
      }
    }
  }

  @Override
  public Running serve(ServerConfig config) throws ServerException {
    ServerOptions options = checked(config);
    Path copy = config.work().resolve("store");
    try {
      StoreFolder.at(config.requiredStore()).copyTo(copy, config.resume());
    } catch (IOException e) {
      throw new ServerException(
          Exit.INTERNAL,
          "Store " + config.store() + " cannot be copied to " + copy + ": " + e.getMessage(),
          e);
    }
    CdoRepository repository = open(config, copy, options);
    try {
      return new RunningServer(repository, listen(repository, config, options));
    } catch (ServerException | RuntimeException e) {
      repository.close();
      throw e;
    }
  }

  private static CdoRepository open(ServerConfig config, Path copy, ServerOptions options)
      throws ServerException {
    try {
      return new CdoRepository(copy, options);
    } catch (RuntimeException e) {
      throw new ServerException(
          Exit.STORE,
          "Store " + config.store() + " cannot be opened, load it again: " + e.getMessage(),
          e);
    }
  }

  /** Opens one listener per protocol asked for. */
  private static Map<String, Listener> listen(
      CdoRepository repository, ServerConfig config, ServerOptions options) throws ServerException {
    Map<String, Listener> listeners = new LinkedHashMap<>();
    for (Map.Entry<String, Integer> wanted : config.ports().entrySet()) {
      String protocol = wanted.getKey();
      int port = wanted.getValue();
      listeners.put(
          protocol, Listener.open(protocol, repository.container(), config.bind(), port, options));
    }
    return listeners;
  }

  private static ServerOptions checked(ServerConfig config) throws ServerException {
    if (config.backend() != null && !config.backend().equals(BACKEND)) {
      throw new ServerException(
          Exit.CONFIG, "backend is " + config.backend() + "; cdo has " + BACKEND, null);
    }
    if (!config.attributes().isEmpty()) {
      throw new ServerException(
          Exit.CONFIG, "attributes: cdo knows neither derived nor indexed attributes", null);
    }
    return ServerOptions.of(config.options());
  }

  private record RunningServer(CdoRepository repository, Map<String, Listener> listeners)
      implements Running {
    @Override
    public Map<String, String> endpoints() {
      Map<String, String> endpoints = new LinkedHashMap<>();
      listeners.forEach((protocol, listener) -> endpoints.put(protocol, listener.endpoint()));
      return endpoints;
    }

    /**
     * Does not wait for a query under way, for which Net4j would wait ten seconds: its threads are
     * daemons and its database is a copy that nobody needs any more.
     */
    @Override
    public void close() {
      Thread closing =
          new Thread(
              () -> {
                listeners.values().forEach(Listener::close);
                repository.close();
              },
              "cdo-close");
      closing.setDaemon(true);
      closing.start();
      try {
        closing.join(CLOSE_DEADLINE_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
