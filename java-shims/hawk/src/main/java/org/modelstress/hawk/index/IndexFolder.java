package org.modelstress.hawk.index;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.modelstress.harness.samples.ElementIds;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphException;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.NodeKind;

/**
 * The files of an index: {@code graph} (the database's folder), {@code ids.mssf} (place of every
 * element in containment order; gone after an update by files, because writing it takes as long as
 * the model is big) and, only while an update is under way, {@code dirty}.
 *
 * @param path where they are
 */
public record IndexFolder(Path path) {
  private static final String DIRTY = "dirty";

  /** Folder of the database. */
  public Path graph() {
    return path.resolve("graph");
  }

  /** The elements' identifiers. */
  public Path ids() {
    return path.resolve("ids.mssf");
  }

  /** Whether an update began and never ended. */
  boolean isDirty() {
    return Files.exists(path.resolve(DIRTY));
  }

  void markDirty() {
    try {
      Files.writeString(path.resolve(DIRTY), "an update is under way\n");
    } catch (IOException e) {
      throw new UncheckedIOException(path + " cannot be written: " + e.getMessage(), e);
    }
  }

  void markClean() {
    try {
      Files.deleteIfExists(path.resolve(DIRTY));
    } catch (IOException e) {
      throw new UncheckedIOException(path + " cannot be written: " + e.getMessage(), e);
    }
  }

  /** Whether the place of every element is known. */
  boolean hasIds() {
    return Files.exists(ids());
  }

  void removeIds() {
    try {
      Files.deleteIfExists(ids());
    } catch (IOException e) {
      throw new UncheckedIOException(ids() + " cannot be removed: " + e.getMessage(), e);
    }
  }

  /** Writes the nodes of all elements in containment order. */
  void writeIds(LongArrayList nodes, Graph graph) {
    try {
      IdsFile.Writer writer = IdsFile.ofStrings(ids());
      try (writer) {
        for (int i = 0; i < nodes.size(); i++) {
          writer.put(graph.idText(nodes.get(i)), i);
        }
      } catch (IOException | RuntimeException e) {
        writer.abandon();
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(ids() + " cannot be written: " + e.getMessage(), e);
    }
  }

  /**
   * The nodes of all elements in containment order.
   *
   * @throws GraphException if the graph and the identifiers do not belong together
   */
  LongArrayList readIds(Graph graph) {
    ElementIds ids;
    try {
      ids = IdsFile.read(ids());
    } catch (IOException e) {
      throw new GraphException(e.getMessage(), e);
    }
    LongArrayList elements = new LongArrayList();
    try (GraphReader reader = graph.read()) {
      reader.nodes(NodeKind.ELEMENT, elements);
    }
    long[] ordered = new long[elements.size()];
    for (int i = 0; i < elements.size(); i++) {
      long index = ids.indexOf(graph.idText(elements.get(i)));
      if (index < 0 || index >= ordered.length) {
        throw new GraphException(ids() + " and the graph do not belong together", null);
      }
      ordered[(int) index] = elements.get(i);
    }
    return LongArrayList.newListWith(ordered);
  }
}
