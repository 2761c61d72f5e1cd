package org.modelstress.arcadedb;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.harness.server.Ports;
import org.modelstress.harness.server.SealedFolder;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.server.ServerMain;
import org.modelstress.harness.server.Stores;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.models.ModelException;
import org.modelstress.models.ModelSource;

/**
 * The tool under test: ArcadeDB's server, whose database is a model, for clients that only read.
 */
public final class ArcadedbServer implements ToolServer {
  private static final int VERSION = 1;
  private static final String ARCADEDB = "26.10.2";
  private static final String HEAP = "heap_mib";
  private static final Set<String> PROTOCOLS = Set.of(ArcadedbProcess.HTTP, ArcadedbProcess.BOLT);

  /** Beside ArcadeDB's defaults: a server that is not developed on, and says nothing elsewhere. */
  private static final Map<String, String> SETTINGS =
      Map.of("server.mode", "production", "dumpConfigAtStartup", "false");

  public static void main(String[] args) {
    ServerMain.run(args, new ArcadedbServer());
  }

  private static SealedFolder folder(ServerConfig config) throws ServerException {
    return new SealedFolder(config.requiredStore(), VERSION, Map.of("arcadedb", ARCADEDB));
  }

  @Override
  public void load(ServerConfig config, Progress progress) throws ServerException {
    try {
      ModelSource model = ModelSource.read(config.requiredModel());
      Path loading = folder(config).beginLoad();
      Path work = loading.resolve("work");
      Map<String, String> settings = settings(config);
      settings.put("server.httpBodyContentMaxSize", "-1");
      settings.put("server.httpStreamingReadTimeout", "7200000");
      int elements;
      try (ArcadedbProcess server = started(config, loading, work, Map.of(), settings)) {
        elements = new GraphWriter(server, model).write(progress);
      }
      Stores.delete(work);
      IdsFile.writeIndices(loading.resolve(SealedFolder.IDS), elements);
      folder(config).endLoad(model.sha256(), elements, Map.of());
    } catch (ModelException e) {
      throw new ServerException(Exit.MODEL, e.getMessage(), e);
    } catch (InterruptedException e) {
      throw new ServerException(Exit.INTERNAL, "the load was interrupted", e);
    } catch (IllegalArgumentException e) {
      throw new ServerException(Exit.MODEL, e.getMessage(), e);
    } catch (IOException e) {
      throw new ServerException(Exit.INTERNAL, "cannot write " + config.store() + ": " + e, e);
    }
  }

  @Override
  public Running serve(ServerConfig config) throws ServerException {
    if (!PROTOCOLS.containsAll(config.ports().keySet())) {
      throw new ServerException(Exit.CONFIG, "ports: only tcp (Bolt) and http are served", null);
    }
    Path copy = config.work().resolve("store");
    try {
      folder(config).copyTo(copy, config.resume());
      Map<String, String> settings = settings(config);
      settings.put("server.defaultDatabaseMode", "READ_ONLY");
      Path work = config.work().resolve("arcadedb");
      ArcadedbProcess server = started(config, copy, work, config.ports(), settings);
      return new Served(server.forReaders(config.ports().keySet()), server);
    } catch (InterruptedException e) {
      throw new ServerException(Exit.INTERNAL, "the start was interrupted", e);
    } catch (IOException e) {
      throw Ports.isBusy(e)
          ? Ports.busy(config.bind(), config.ports().values().iterator().next(), e)
          : new ServerException(Exit.INTERNAL, "cannot serve " + config.store() + ": " + e, e);
    }
  }

  private record Served(Map<String, String> endpoints, ArcadedbProcess server) implements Running {
    @Override
    public void close() {
      server.close();
    }
  }

  private static Map<String, String> settings(ServerConfig config) {
    Map<String, String> settings = new TreeMap<>(SETTINGS);
    config.options().forEach((name, value) -> settings.put(name, String.valueOf(value)));
    settings.remove(HEAP);
    return settings;
  }

  private static ArcadedbProcess started(
      ServerConfig config,
      Path folder,
      Path work,
      Map<String, Integer> ports,
      Map<String, String> settings)
      throws ServerException, IOException, InterruptedException {
    if (!(config.options().getOrDefault(HEAP, 4096) instanceof Integer heap) || heap < 64) {
      throw new ServerException(Exit.CONFIG, "options." + HEAP + ": write MiB from 64 on", null);
    }
    return new ArcadedbProcess(folder.resolve("graph"), work, config.bind(), ports, heap, settings);
  }
}
