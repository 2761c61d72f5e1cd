package org.modelstress.hawk.server.thrift;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.ecore.EObject;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.graph.neo4j.Neo4jBackend;
import org.modelstress.hawk.graph.orient.OrientBackend;
import org.modelstress.hawk.index.TrainFixture;
import org.modelstress.hawk.server.HawkServer;
import org.modelstress.thrift.server.ServedModel;

/** A small Train model in an index. */
final class Served extends ServedModel {
  static final String EOL = "org.hawk.epsilon.emc.EOLQueryEngine";
  static final String EPL = "org.hawk.epsilon.emc.EPLQueryEngine";
  static final String INSTANCE = "modelstress";

  final Path model;

  private Served(Backend backend, ServerConfig config, EObject root) throws Exception {
    super(new HawkServer(List.of(backend)), config, root);
    model = config.model();
  }

  /** Loads and serves over both protocols. */
  static Served start(Backend backend, Path folder, Map<String, Object> options) throws Exception {
    Files.createDirectories(folder);
    EObject root = TrainFixture.model(19871053);
    Path model = TrainFixture.save(root, folder.resolve("train model.xmi"));
    ServerConfig config =
        config(backend.name(), model, folder, Map.of("tcp", 0, "http", 0), options);
    return new Served(backend, config, root);
  }

  static ServerConfig config(
      String backend,
      Path model,
      Path folder,
      Map<String, Integer> ports,
      Map<String, Object> options) {
    return new ServerConfig(
        "hawk",
        backend,
        model,
        folder.resolve("store"),
        folder.resolve("work" + ports.hashCode()),
        "127.0.0.1",
        ports,
        TrainFixture.entries(),
        options);
  }

  static List<Backend> backends() {
    return List.of(new Neo4jBackend(), new OrientBackend());
  }
}
