package org.modelstress.hawk.index;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.modelstress.hawk.catalog.Layout;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.NodeKind;
import org.modelstress.models.ModelDescription;
import org.modelstress.models.ModelSource;

/**
 * An indexed file.
 *
 * @param node its node
 * @param path where it is, absolute
 * @param sha256 of its bytes when it was indexed, hexadecimal
 * @param description where the {@code model.json} is that names it; null for a model of one file
 * @param topmost number of elements in it that no other element of it contains
 */
record FileNode(long node, Path path, String sha256, Path description, int topmost) {
  /** All files of an index, in the order of their nodes. */
  static List<FileNode> all(Graph graph, GraphReader reader) {
    LongArrayList nodes = new LongArrayList();
    reader.nodes(NodeKind.FILE, nodes);
    nodes.sortThis();
    List<FileNode> files = new ArrayList<>();
    nodes.forEach(node -> files.add(of(node, graph, reader)));
    return files;
  }

  private static FileNode of(long node, Graph graph, GraphReader reader) {
    Object description = reader.property(node, graph.key(Layout.DESCRIPTION));
    Object topmost = reader.property(node, graph.key(Layout.TOPMOST));
    return new FileNode(
        node,
        Path.of((String) reader.property(node, graph.key(Layout.PATH))),
        (String) reader.property(node, graph.key(Layout.SHA256)),
        description == null ? null : Path.of((String) description),
        topmost == null ? 1 : (Integer) topmost);
  }

  /** What was read to index this file: the description or the file itself. */
  Path model() {
    return description == null ? path : description;
  }

  /** What the node of a file keeps, by name. */
  static Map<String, Object> properties(Path model, ModelSource.File file) {
    Map<String, Object> properties = new LinkedHashMap<>();
    properties.put(Layout.PATH, place(model, file.path()).toString());
    properties.put(Layout.SHA256, file.sha256());
    if (ModelDescription.isNamedBy(model)) {
      properties.put(Layout.DESCRIPTION, absolute(model).toString());
      properties.put(Layout.TOPMOST, file.contents().size());
    }
    return properties;
  }

  /**
   * Where a file of a model is.
   *
   * @param model what was read
   * @param path as the model's source tells it
   */
  static Path place(Path model, String path) {
    return absolute(model).resolveSibling(path).normalize();
  }

  private static Path absolute(Path path) {
    return path.toAbsolutePath().normalize();
  }
}
