package org.modelstress.hawk.server.thrift;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.protocol.TTupleProtocol;
import org.apache.thrift.transport.TSocket;
import org.apache.thrift.transport.TZlibTransport;
import org.eclipse.emf.ecore.EObject;
import org.modelstress.harness.samples.ElementIds;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.hawk.api.Hawk;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.graph.neo4j.Neo4jBackend;
import org.modelstress.hawk.graph.orient.OrientBackend;
import org.modelstress.hawk.index.TrainFixture;
import org.modelstress.hawk.server.HawkServer;

/** A small Train model, loaded and served as the programs do it, in this process. */
final class Served implements AutoCloseable {
  static final String EOL = "org.hawk.epsilon.emc.EOLQueryEngine";
  static final String EPL = "org.hawk.epsilon.emc.EPLQueryEngine";
  static final String INSTANCE = "modelstress";

  /** The model, in containment order. */
  final List<EObject> elements = new ArrayList<>();

  final Path model;
  final ElementIds ids;
  private final ToolServer.Running running;

  private Served(EObject root, Path model, ElementIds ids, ToolServer.Running running) {
    this.model = model;
    this.ids = ids;
    this.running = running;
    elements.add(root);
    root.eAllContents().forEachRemaining(elements::add);
  }

  /** Loads and serves over both protocols. */
  static Served start(Backend backend, Path folder, Map<String, Object> options) throws Exception {
    Files.createDirectories(folder);
    EObject root = TrainFixture.model(19871053);
    Path model = TrainFixture.save(root, folder.resolve("train model.xmi"));
    HawkServer server = new HawkServer(List.of(backend));
    ServerConfig config =
        config(backend.name(), model, folder, Map.of("tcp", 0, "http", 0), options);
    server.load(config, (done, total) -> {});
    return new Served(
        root, model, IdsFile.read(config.store().resolve("ids.mssf")), server.serve(config));
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

  Endpoint endpoint(String protocol) {
    return new Endpoint(URI.create(running.endpoints().get(protocol)));
  }

  /** Elements of a class, subclasses included. */
  List<EObject> all(String type) {
    return elements.stream()
        .filter(
            e ->
                e.eClass().getName().equals(type)
                    || e.eClass().getEAllSuperTypes().stream()
                        .anyMatch(c -> c.getName().equals(type)))
        .toList();
  }

  /** The element with an identifier of the store. */
  EObject element(String id) {
    return elements.get((int) ids.indexOf(id));
  }

  static Object get(EObject element, String feature) {
    return element.eGet(element.eClass().getEStructuralFeature(feature));
  }

  /** A client on a TCP connection of its own, made of libthrift only. */
  Client client() throws Exception {
    return new Client(endpoint("tcp"));
  }

  /** Hawk's API, and the connection to close. */
  static final class Client extends Hawk.Client implements AutoCloseable {
    private final TSocket socket;

    private Client(Endpoint endpoint) throws Exception {
      this(new TSocket(new TConfiguration(), endpoint.host(), endpoint.port(), 30_000));
    }

    private Client(TSocket socket) throws Exception {
      super(new TTupleProtocol(new TZlibTransport(socket)));
      this.socket = socket;
      socket.open();
    }

    @Override
    public void close() {
      socket.close();
    }
  }

  @Override
  public void close() throws IOException {
    running.close();
  }
}
