package org.modelstress.harness.server;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The file given to {@code load --config F} and {@code serve --config F}: the same keys for every
 * tool. Unknown keys are refused.
 *
 * @param tool name of the tool
 * @param backend storage behind it, such as {@code h2}
 * @param model source model file (.xmi or .bin); read by {@code load} only
 * @param store folder of the loaded store; {@code load} creates it, {@code serve} never changes it
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
    String backend,
    Path model,
    Path store,
    Path work,
    String bind,
    Map<String, Integer> ports,
    List<Map<String, Object>> attributes,
    Map<String, Object> options,
    boolean resume) {

  /** A configuration that resumes nothing. */
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
    this(tool, backend, model, store, work, bind, ports, attributes, options, false);
  }
}
