package org.modelstress.mogwai.gremlin;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.eclipse.emf.ecore.EClass;
import org.modelstress.mogwai.store.Schema;
import org.neo4j.graphdb.Direction;
import org.neo4j.graphdb.DynamicRelationshipType;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.RelationshipType;

/** The elements at the other ends of an element's edges of one label. */
final class Neighbours implements Source {
  final Plan from;
  private final RelationshipType label;
  private final Direction direction;
  private final boolean ordered;
  private final EClass only;

  /**
   * Of the element that an expression gives.
   *
   * @param ordered by {@link Schema#POSITION}, else as the store has them
   * @param only the class that a neighbour must have; null for any
   */
  Neighbours(Plan from, String label, Direction direction, boolean ordered, EClass only) {
    this(from, DynamicRelationshipType.withName(label), direction, ordered, only);
  }

  private Neighbours(
      Plan from, RelationshipType label, Direction direction, boolean ordered, EClass only) {
    this.from = from;
    this.label = label;
    this.direction = direction;
    this.ordered = ordered;
    this.only = only;
  }

  Neighbours unordered() {
    return new Neighbours(from, label, direction, false, only);
  }

  @Override
  public Iterator<?> open(Frame frame) {
    Object element = from.value(frame);
    if (Plan.isUndefined(element)) {
      throw Signal.Invalid.INSTANCE;
    }
    return of(element, frame);
  }

  /** The neighbours of an element. */
  Iterator<?> of(Object element, Frame frame) {
    Iterator<Relationship> edges = edges((Node) element, direction);
    if (ordered) {
      edges = sorted(edges);
    }
    Ends ends = new Ends(edges, direction == Direction.OUTGOING);
    return only == null ? ends : withClass(ends, frame);
  }

  /** Adds the neighbours of an element to a buffer. */
  void read(Object element, Buffer into, Frame frame) {
    if (ordered || only != null) {
      of(element, frame).forEachRemaining(into::add);
      return;
    }
    boolean out = direction == Direction.OUTGOING;
    try {
      for (Relationship edge : ((Node) element).getRelationships(label, direction)) {
        into.add(out ? edge.getEndNode() : edge.getStartNode());
      }
    } catch (RuntimeException e) {
      throw new Signal.Store(e);
    }
  }

  /** A list that is filled again and again. */
  static final class Buffer {
    Object[] elements = new Object[8];
    int size;

    void add(Object element) {
      if (size == elements.length) {
        elements = Arrays.copyOf(elements, 2 * size);
      }
      elements[size++] = element;
    }
  }

  private Iterator<Relationship> edges(Node node, Direction side) {
    try {
      return node.getRelationships(label, side).iterator();
    } catch (RuntimeException e) {
      throw new Signal.Store(e);
    }
  }

  private static Iterator<Relationship> sorted(Iterator<Relationship> edges) {
    record Placed(int position, Relationship edge) {}
    try {
      List<Placed> all = new ArrayList<>();
      while (edges.hasNext()) {
        Relationship edge = edges.next();
        all.add(new Placed((Integer) edge.getProperty(Schema.POSITION, 0), edge));
      }
      all.sort(Comparator.comparingInt(Placed::position));
      Iterator<Placed> placed = all.iterator();
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return placed.hasNext();
        }

        @Override
        public Relationship next() {
          return placed.next().edge();
        }
      };
    } catch (RuntimeException e) {
      throw new Signal.Store(e);
    }
  }

  private Iterator<?> withClass(Ends ends, Frame frame) {
    List<Object> found = new ArrayList<>();
    while (ends.hasNext()) {
      Node node = ends.next();
      if (Elements.conforms(frame.elements.classOf(node), only)) {
        found.add(node);
      }
    }
    return found.iterator();
  }

  /**
   * Whether the element has this neighbour. Reads the edges of both in turns, so it takes twice as
   * many steps as the one with fewer edges has.
   */
  boolean contains(Object element, Object neighbour, Frame frame) {
    if (!(neighbour instanceof Node there)) {
      return false;
    }
    if (only != null && !Elements.conforms(frame.elements.classOf(there), only)) {
      return false;
    }
    boolean out = direction == Direction.OUTGOING;
    Ends here = new Ends(edges((Node) element, direction), out);
    Ends back = new Ends(edges(there, direction.reverse()), !out);
    while (here.hasNext() && back.hasNext()) {
      frame.step();
      if (here.next().equals(there) || back.next().equals(element)) {
        return true;
      }
    }
    return false;
  }

  /** The far ends of edges. */
  static final class Ends implements Iterator<Node> {
    private final Iterator<Relationship> edges;
    private final boolean out;

    Ends(Iterator<Relationship> edges, boolean out) {
      this.edges = edges;
      this.out = out;
    }

    @Override
    public boolean hasNext() {
      try {
        return edges.hasNext();
      } catch (RuntimeException e) {
        throw new Signal.Store(e);
      }
    }

    @Override
    public Node next() {
      try {
        Relationship edge = edges.next();
        return out ? edge.getEndNode() : edge.getStartNode();
      } catch (RuntimeException e) {
        throw new Signal.Store(e);
      }
    }
  }
}
