package org.modelstress.cdo;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.modelstress.harness.samples.Digest;
import org.modelstress.harness.samples.ElementIds;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Ids;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.Metamodels;
import org.modelstress.models.ModelException;
import org.modelstress.models.ModelFiles;
import org.modelstress.models.QueryException;
import org.modelstress.models.ocl.OclQuery;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;

/** A small Train model, its loaded store, the six queries and their expected digests. */
final class TrainFixture {
  static final Map<String, List<String>> TUPLES =
      Map.of(
          "PosLength", List.of("segment"),
          "SwitchMonitored", List.of("switch"),
          "RouteSensor", List.of("route", "sensor", "swP", "sw"),
          "SwitchSet", List.of("semaphore", "route", "swP", "sw"),
          "ConnectedSegments",
              List.of(
                  "sensor", "segment1", "segment2", "segment3", "segment4", "segment5", "segment6"),
          "SemaphoreNeighbor",
              List.of("semaphore", "route1", "route2", "sensor1", "sensor2", "te1", "te2"));

  /** Never over within a test: segments cubed. */
  static final String ENDLESS =
      "railway::Segment.allInstances()->select(a | railway::Segment.allInstances()->exists(b |"
          + " railway::Segment.allInstances()->exists(c | c.length = -17 and b.length = -18)))";

  final Path model;
  final Path store;
  private final Path folder;
  private final ElementIndex elements;
  private final ElementIds ids;
  private final Map<String, Long> digests = new HashMap<>();
  private int works;

  /** Generates and loads a model of this size in this folder. */
  TrainFixture(Path folder, int size) throws ModelException, ServerException, IOException {
    this.folder = folder;
    this.model = folder.resolve("train.xmi");
    this.store = folder.resolve("store");
    ModelFiles.save(
        TrainGenerator.generate(Line.LINE_2016, Scenario.REPAIR, size, TrainGenerator.DEFAULT_SEED),
        model);
    new CdoServer().load(config(Map.of(), 0), (done, total) -> {});
    this.elements = new ElementIndex(ModelFiles.load(model));
    this.ids = IdsFile.read(store.resolve("ids.mssf"));
  }

  int size() {
    return elements.size();
  }

  /** A configuration for {@code load} and {@code serve}, with a work folder of its own. */
  ServerConfig config(Map<String, Object> options, int port) {
    return config(options, "tcp", port);
  }

  /** The same for a server of this protocol. */
  synchronized ServerConfig config(Map<String, Object> options, String protocol, int port) {
    Path work = folder.resolve("work" + works++);
    return new ServerConfig(
        "cdo", "h2", model, store, work, "127.0.0.1", Map.of(protocol, port), List.of(), options);
  }

  static Operation operation(String query) throws IOException {
    return new Operation(
        query, text(query), Map.of("language", "ocl", "tuple", TUPLES.get(query)), 0);
  }

  static Operation ocl(String text) {
    return new Operation("text", text, Map.of("language", "ocl", "tuple", List.of("element")), 0);
  }

  private static String text(String query) throws IOException {
    // tests run in the module's folder
    return Files.readString(Path.of("..", "..", "queries", "train", "ocl", query + ".ocl"));
  }

  /** The digest of a query evaluated in memory, without CDO. */
  synchronized long expected(String query) throws QueryException, IOException {
    Long known = digests.get(query);
    if (known == null) {
      List<String> tuple = TUPLES.get(query);
      long[] indices =
          elements.indicesOf(
              OclQuery.parse(text(query), Metamodels.registry())
                  .evaluate(elements.element(0), tuple));
      known = Digest.of(indices, indices.length, tuple.size());
      digests.put(query, known);
    }
    return known;
  }

  /** The digest of what a driver returned. */
  long digest(Outcome outcome, String query) {
    Ids.Longs found = (Ids.Longs) outcome.ids();
    long[] indices = new long[found.size()];
    for (int i = 0; i < indices.length; i++) {
      indices[i] = ids.indexOf(found.values()[i]);
    }
    return Digest.of(indices, indices.length, TUPLES.get(query).size());
  }

  static Options options(long timeoutMillis, Map<String, Object> values) {
    return new Options(timeoutMillis, values);
  }

  static Endpoint endpoint(String address) {
    return new Endpoint(URI.create(address));
  }
}
