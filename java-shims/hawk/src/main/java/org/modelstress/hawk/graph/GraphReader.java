package org.modelstress.hawk.graph;

import java.util.Map;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;

/**
 * A read transaction, for one thread. Nodes are 64-bit numbers that {@link Graph#idText} prints as
 * the database does; edge labels and property keys are the tokens of {@link Graph#label} and {@link
 * Graph#key}. Values are Boolean, Integer, Long, Double, String or an array of one of these ({@code
 * boolean[]}, {@code int[]}, {@code long[]}, {@code double[]}, {@code String[]}).
 *
 * <p>Every method throws {@link GraphException} when the database fails.
 */
public interface GraphReader extends AutoCloseable {
  /** No such node. */
  long NONE = -1;

  /** Whether there is such a node. */
  boolean exists(long node);

  /** What a node stands for. */
  NodeKind kind(long node);

  /** The value of a property, or null when it is absent. */
  Object property(long node, int key);

  /** All properties of a node by name. */
  Map<String, Object> properties(long node);

  /** The target of one edge with this label that leaves the node, or {@link #NONE}. */
  long target(long node, int label);

  /** The source of one edge with this label that enters the node, or {@link #NONE}. */
  long source(long node, int label);

  /** Adds the target of every edge with this label that leaves the node, in any order. */
  void targets(long node, int label, LongArrayList into);

  /** Adds the source of every edge with this label that enters the node, in any order. */
  void sources(long node, int label, LongArrayList into);

  /** Number of edges with this label that leave the node. */
  int outDegree(long node, int label);

  /** Number of edges with this label that enter the node. */
  int inDegree(long node, int label);

  /** Adds every node of a kind. */
  void nodes(NodeKind kind, LongArrayList into);

  /**
   * Adds the nodes whose entry in an index compares so with the value; costs O(log n + hits). A
   * value of another type than the index's is compared as a number where both are numbers and finds
   * nothing otherwise.
   *
   * @throws IllegalArgumentException if there is no such index
   */
  void lookup(String index, Comparison comparison, Object value, LongArrayList into);

  @Override
  void close();
}
