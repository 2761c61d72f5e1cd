package org.modelstress.thrift.server;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.modelstress.harness.samples.ElementIds;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.thrift.client.ApiClient;

/** A model in memory, loaded and served as the programs do it, in this process. */
public class ServedModel implements AutoCloseable {
  /** The model, in containment order. */
  public final List<EObject> elements = new ArrayList<>();

  public final ElementIds ids;
  private final ToolServer.Running running;

  /**
   * Loads and serves.
   *
   * @param root of the model in the configuration's file
   */
  public ServedModel(ToolServer server, ServerConfig config, EObject root) throws Exception {
    elements.add(root);
    root.eAllContents().forEachRemaining(elements::add);
    server.load(config, (done, total) -> {});
    ids = IdsFile.read(config.store().resolve("ids.mssf"));
    running = server.serve(config);
  }

  /** Where a protocol, {@code tcp} or {@code http}, is answered. */
  public final Endpoint endpoint(String protocol) {
    return new Endpoint(URI.create(running.endpoints().get(protocol)));
  }

  /** Elements of a class, subclasses included. */
  public final List<EObject> all(String type) {
    return elements.stream().filter(e -> isKindOf(e.eClass(), type)).toList();
  }

  private static boolean isKindOf(EClass eClass, String type) {
    return eClass.getName().equals(type)
        || eClass.getEAllSuperTypes().stream().anyMatch(c -> c.getName().equals(type));
  }

  /** The element with an identifier of the store. */
  public final EObject element(String id) {
    return elements.get((int) ids.indexOf(id));
  }

  /** Value of a feature. */
  public static Object get(EObject element, String feature) {
    return element.eGet(element.eClass().getEStructuralFeature(feature));
  }

  /** A client on a TCP connection of its own, made of libthrift only. */
  public final ApiClient client() throws Exception {
    return new ApiClient(endpoint("tcp"));
  }

  @Override
  public final void close() {
    running.close();
  }
}
