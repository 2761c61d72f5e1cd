package org.modelstress.mogwai.server;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.modelstress.harness.server.Ending;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.models.ModelException;
import org.modelstress.models.ModelSource;
import org.modelstress.mogwai.gremlin.QueryEngine;
import org.modelstress.mogwai.store.ModelGraph;
import org.modelstress.mogwai.store.NeoEmfGraph;
import org.modelstress.mogwai.store.StoreException;
import org.modelstress.mogwai.store.StoreFolder;
import org.modelstress.thrift.server.Endpoints;

/** NeoEMF/Graph and the compiler from OCL to Gremlin as a tool under test. */
public final class MogwaiServer implements ToolServer {
  /** The only backend. */
  static final String BACKEND = "neoemf";

  private static final long CLOSE_DEADLINE_MS = 3_500;

  @Override
  public void load(ServerConfig config, Progress progress) throws ServerException {
    check(config);
    MogwaiOptions.of(config.options());
    try {
      ModelSource model = ModelSource.read(config.requiredModel());
      new StoreFolder(config.requiredStore()).load(model, progress);
    } catch (ModelException e) {
      throw new ServerException(Exit.MODEL, e.getMessage(), e);
    } catch (StoreException | IOException e) {
      throw new ServerException(
          Exit.INTERNAL, "Store " + config.store() + " cannot be written: " + e.getMessage(), e);
    }
  }

  private static void check(ServerConfig config) throws ServerException {
    if (config.backend() != null && !config.backend().equals(BACKEND)) {
      throw new ServerException(
          Exit.CONFIG, "backend is " + config.backend() + "; mogwai has only " + BACKEND, null);
    }
    if (!config.attributes().isEmpty()) {
      throw new ServerException(
          Exit.CONFIG, "attributes: mogwai has no declared attributes; leave the list empty", null);
    }
  }

  @Override
  public Running serve(ServerConfig config) throws ServerException {
    check(config);
    MogwaiOptions options = MogwaiOptions.of(config.options());
    ModelGraph graph = open(config, options);
    try {
      QueryEngine engine = new QueryEngine(graph, options.cachedQueries());
      MogwaiService service = new MogwaiService(graph, engine, options.instance(), options.api());
      return new RunningServer(graph, Endpoints.start(service, config, options.api()));
    } catch (ServerException | RuntimeException e) {
      graph.close();
      throw e;
    }
  }

  private static ModelGraph open(ServerConfig config, MogwaiOptions options)
      throws ServerException {
    Path work = config.work().resolve("store");
    try {
      StoreFolder.Copy copy = new StoreFolder(config.requiredStore()).copyTo(work, config.resume());
      return NeoEmfGraph.open(copy.graph(), copy.metamodels(), options.store(), config.resume());
    } catch (StoreException e) {
      throw new ServerException(Exit.STORE, "Store " + config.store() + ": " + e.getMessage(), e);
    } catch (IOException e) {
      throw new ServerException(
          Exit.INTERNAL,
          "Store " + config.store() + " cannot be copied to " + work + ": " + e.getMessage(),
          e);
    }
  }

  private record RunningServer(ModelGraph graph, Endpoints open) implements Running {
    @Override
    public Map<String, String> endpoints() {
      return open.endpoints();
    }

    /** Waits for the database so long only: it is a copy that nobody needs any more. */
    @Override
    public void close() {
      Ending.closeWithin(
          CLOSE_DEADLINE_MS,
          "mogwai-close",
          () -> {
            open.close();
            graph.close();
          });
    }
  }
}
