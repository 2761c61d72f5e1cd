package org.modelstress.mogwai.server;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.ecore.EObject;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.models.ModelException;
import org.modelstress.models.ModelFiles;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;
import org.modelstress.thrift.server.ServedModel;

/** A small Train model in NeoEMF. */
final class Served extends ServedModel {
  static final String INSTANCE = "modelstress";

  private Served(ServerConfig config, EObject root) throws Exception {
    super(new MogwaiServer(), config, root);
  }

  /** Loads and serves over both protocols. */
  static Served start(Path folder, Map<String, Object> options) throws Exception {
    Files.createDirectories(folder);
    ServerConfig config = config(folder, Map.of("tcp", 0, "http", 0), options);
    return new Served(config, model(config.model()));
  }

  /** Writes the model of the tests; about 700 elements. */
  static EObject model(Path file) throws ModelException {
    EObject root =
        TrainGenerator.generate(Line.LINE_2017, Scenario.REPAIR, 1, TrainGenerator.DEFAULT_SEED);
    ModelFiles.save(root, file);
    return root;
  }

  static ServerConfig config(Path folder, Map<String, Integer> ports, Map<String, Object> options) {
    return new ServerConfig(
        "mogwai",
        "neoemf",
        folder.resolve("train.xmi"),
        folder.resolve("store"),
        folder.resolve("work"),
        "127.0.0.1",
        ports,
        List.of(),
        options);
  }
}
