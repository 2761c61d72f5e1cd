package org.modelstress.hawk.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.modelstress.harness.server.Ending;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.graph.GraphException;
import org.modelstress.hawk.index.IndexBuilder;
import org.modelstress.hawk.index.LiveIndex;
import org.modelstress.hawk.server.thrift.HawkService;
import org.modelstress.models.ModelException;
import org.modelstress.models.ModelSource;
import org.modelstress.thrift.server.Endpoints;

/** The model index as a tool under test. */
public final class HawkServer implements ToolServer {
  private static final long CLOSE_DEADLINE_MS = 3_500;

  private final List<Backend> backends;

  /** With these databases, the first of which is the default. */
  public HawkServer(List<Backend> backends) {
    this.backends = List.copyOf(backends);
  }

  @Override
  public void load(ServerConfig config, Progress progress) throws ServerException {
    Backend backend = backend(config);
    HawkOptions options = HawkOptions.of(config.options());
    List<AttributeDeclaration> attributes = attributes(config);
    ModelSource model = read(config.requiredModel());
    StoreFolder store = new StoreFolder(config.requiredStore(), backend);
    try {
      boolean loaded = false;
      try {
        IndexBuilder.Built built =
            IndexBuilder.build(
                config.model(),
                model,
                attributes,
                backend,
                store.beginLoad(),
                options.cacheMegabytes(),
                progress);
        if (built.failures() != null) {
          System.err.println("hawk: " + built.failures());
        }
        store.endLoad(model.sha256(), attributes, built.elements(), built.values());
        loaded = true;
      } finally {
        if (!loaded) {
          store.abandonLoad();
        }
      }
    } catch (IllegalArgumentException e) {
      throw new ServerException(Exit.CONFIG, e.getMessage(), e);
    } catch (IOException | UncheckedIOException | GraphException e) {
      throw new ServerException(
          Exit.INTERNAL, "Store " + config.store() + " cannot be written: " + e.getMessage(), e);
    }
  }

  private static ModelSource read(Path model) throws ServerException {
    try {
      return ModelSource.read(model);
    } catch (ModelException e) {
      throw new ServerException(Exit.MODEL, e.getMessage(), e);
    }
  }

  @Override
  public Running serve(ServerConfig config) throws ServerException {
    Backend backend = backend(config);
    HawkOptions options = HawkOptions.of(config.options());
    StoreFolder store = new StoreFolder(config.requiredStore(), backend);
    Path copy = config.work().resolve("store");
    try {
      checkAttributes(config, store);
      store.copyTo(copy, config.resume());
    } catch (IOException e) {
      throw new ServerException(
          Exit.INTERNAL,
          "Store " + config.store() + " cannot be copied to " + copy + ": " + e.getMessage(),
          e);
    }
    LiveIndex index = open(config, backend, copy, options);
    try {
      HawkService service =
          new HawkService(index, options.instance(), backend.name(), options.api());
      return new RunningServer(index, Endpoints.start(service, config, options.api()));
    } catch (ServerException | RuntimeException e) {
      index.close();
      throw e;
    }
  }

  private static void checkAttributes(ServerConfig config, StoreFolder store)
      throws ServerException, IOException {
    List<AttributeDeclaration> wanted = attributes(config);
    List<AttributeDeclaration> loaded = store.attributes();
    if (!wanted.isEmpty() && !new HashSet<>(wanted).equals(new HashSet<>(loaded))) {
      throw new ServerException(
          Exit.STORE,
          "Store "
              + config.store()
              + " was loaded with other attributes than the configuration declares;"
              + " load it again.",
          null);
    }
  }

  private static LiveIndex open(
      ServerConfig config, Backend backend, Path copy, HawkOptions options) throws ServerException {
    try {
      return LiveIndex.open(backend, copy, options.cacheMegabytes(), options.fidelity());
    } catch (GraphException | IllegalArgumentException e) {
      throw new ServerException(
          Exit.STORE,
          "Store " + config.store() + " cannot be opened, load it again: " + e.getMessage(),
          e);
    }
  }

  private Backend backend(ServerConfig config) throws ServerException {
    for (Backend backend : backends) {
      if (config.backend() == null || config.backend().equals(backend.name())) {
        return backend;
      }
    }
    throw new ServerException(
        Exit.CONFIG,
        "backend is "
            + config.backend()
            + "; hawk has "
            + String.join(", ", backends.stream().map(Backend::name).toList()),
        null);
  }

  private static List<AttributeDeclaration> attributes(ServerConfig config) throws ServerException {
    List<AttributeDeclaration> attributes = new ArrayList<>();
    try {
      config.attributes().forEach(entry -> attributes.add(AttributeDeclaration.of(entry)));
    } catch (IllegalArgumentException e) {
      throw new ServerException(Exit.CONFIG, e.getMessage(), e);
    }
    return attributes;
  }

  private record RunningServer(LiveIndex index, Endpoints open) implements Running {
    @Override
    public Map<String, String> endpoints() {
      return open.endpoints();
    }

    /** Waits for the databases so long only: the index is a copy that nobody needs any more. */
    @Override
    public void close() {
      Ending.closeWithin(
          CLOSE_DEADLINE_MS,
          "hawk-close",
          () -> {
            open.close();
            index.close();
          });
    }
  }
}
