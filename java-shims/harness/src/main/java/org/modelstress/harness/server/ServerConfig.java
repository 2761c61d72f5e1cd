package org.modelstress.harness.server;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The file given to {@code load --config F} and {@code serve --config F}: the same keys for every
 * tool. Unknown keys are refused; what is missing and has a default is filled in.
 *
 * @param tool name of the tool
 * @param node name of the node of the tool that this process is; by default {@code server}
 * @param role what the node is, a word of the tool's descriptor; by default the node's name
 * @param peers nodes that this one needs, all of them ready: name to their endpoints by protocol
 * @param backend storage behind it, such as {@code h2}
 * @param model source model file (.xmi or .bin), or null; read by {@code load} only
 * @param dataset what {@code load} populates the store with where that is no model, or null
 * @param store folder of the loaded store; {@code load} creates it, {@code serve} never changes it;
 *     null: {@code serve} starts with an empty store, and {@code load} is never called
 * @param work empty folder of this process for a private copy and temporary files; {@code serve}
 *     only
 * @param bind address to listen on; loopback or the cell's own network
 * @param ports protocol to port, 0 for any free one; exactly these protocols are served
 * @param attributes declarations of derived and indexed attributes, for tools that know them
 * @param options what is particular to the tool, by name
 * @param resume whether {@code serve} opens what a server that was killed left in {@code work}, as
 *     after a crash of the machine, instead of a fresh copy of the store
 */
public record ServerConfig(
    String tool,
    String node,
    String role,
    Map<String, Map<String, String>> peers,
    String backend,
    Path model,
    Dataset dataset,
    Path store,
    Path work,
    String bind,
    Map<String, Integer> ports,
    List<Map<String, Object>> attributes,
    Map<String, Object> options,
    boolean resume) {

  /** The node of a tool that has only one. */
  public static final String ONLY_NODE = "server";

  /**
   * A dataset that the tool makes itself.
   *
   * @param name which kind of dataset it is
   * @param parameters how large it is and the like, by name
   */
  public record Dataset(String name, Map<String, Object> parameters) {
    /** A dataset; no parameters where null is given. */
    public Dataset {
      parameters = parameters == null ? Map.of() : parameters;
    }
  }

  /** A configuration; null becomes the default where a key has one. */
  public ServerConfig {
    node = node == null ? ONLY_NODE : node;
    role = role == null ? node : role;
    peers = peers == null ? Map.of() : peers;
    ports = ports == null ? Map.of() : ports;
    attributes = attributes == null ? List.of() : attributes;
    options = options == null ? Map.of() : options;
  }

  /** A configuration of the only node of a tool, which is loaded from a model, and no resuming. */
  public ServerConfig(
      String tool,
      String backend,
      Path model,
      Path store,
      Path work,
      String bind,
      Map<String, Integer> ports,
      List<Map<String, Object>> attributes,
      Map<String, Object> options) {
    this(
        tool,
        null,
        null,
        null,
        backend,
        model,
        null,
        store,
        work,
        bind,
        ports,
        attributes,
        options,
        false);
  }

  /**
   * The model, for tools that load nothing else.
   *
   * @throws ServerException CONFIG if there is none
   */
  public Path requiredModel() throws ServerException {
    return required("model", model);
  }

  /**
   * The loaded store's folder, for tools that serve nothing else.
   *
   * @throws ServerException CONFIG if there is none
   */
  public Path requiredStore() throws ServerException {
    return required("store", store);
  }

  private Path required(String key, Path value) throws ServerException {
    if (value == null) {
      throw new ServerException(
          ServerException.Exit.CONFIG, key + ": is missing, and " + tool + " needs one", null);
    }
    return value;
  }
}
