package org.modelstress.mogwai.gremlin;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EcorePackage;
import org.modelstress.mogwai.store.ModelGraph;
import org.modelstress.mogwai.store.Schema;
import org.neo4j.graphdb.Direction;
import org.neo4j.graphdb.DynamicRelationshipType;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.index.IndexHits;

/** The graph's elements and their classes; for any number of threads. */
final class Elements {
  private static final RelationshipType INSTANCE_OF =
      DynamicRelationshipType.withName(Schema.INSTANCE_OF);

  private final GraphDatabaseService database;
  private final EPackage.Registry packages;

  /** Vertices of metaclasses, of which there are as many as classes. */
  private final Map<Long, EClass> classes = new ConcurrentHashMap<>();

  private final Map<EClass, Node> vertices = new ConcurrentHashMap<>();

  Elements(ModelGraph graph) {
    this.database = graph.database();
    this.packages = graph.packages();
  }

  /**
   * An element's own class.
   *
   * @throws Signal.Store if it has none, or one of no known metamodel
   */
  EClass classOf(Node element) {
    try {
      Relationship edge = element.getSingleRelationship(INSTANCE_OF, Direction.OUTGOING);
      if (edge == null) {
        throw new Signal.Store(element + " has no metaclass");
      }
      Node vertex = edge.getEndNode();
      EClass known = classes.get(vertex.getId());
      return known != null ? known : readClass(vertex);
    } catch (Signal e) {
      throw e;
    } catch (RuntimeException e) {
      throw new Signal.Store(e);
    }
  }

  private EClass readClass(Node vertex) {
    String uri = (String) vertex.getProperty(Schema.NS_URI, null);
    String name = (String) vertex.getProperty(Schema.NAME, null);
    EPackage metamodel = uri == null ? null : packages.getEPackage(uri);
    if (metamodel == null || !(metamodel.getEClassifier(name) instanceof EClass type)) {
      throw new Signal.Store("the metaclass " + name + " of " + uri + " is of no known metamodel");
    }
    classes.put(vertex.getId(), type);
    return type;
  }

  /** The elements' edges to a class's own vertex; none if the graph has no element of the class. */
  Iterable<Relationship> instances(EClass type) {
    try {
      Node vertex = vertices.get(type);
      if (vertex == null) {
        vertex = find(type);
        if (vertex == null) {
          return java.util.List.of();
        }
        vertices.put(type, vertex);
      }
      return vertex.getRelationships(INSTANCE_OF, Direction.INCOMING);
    } catch (RuntimeException e) {
      throw new Signal.Store(e);
    }
  }

  /** The index knows simple names only. */
  private Node find(EClass type) {
    try (Hits hits = new Hits(database, type.getName())) {
      for (Node vertex : hits.nodes) {
        if (type.getEPackage().getNsURI().equals(vertex.getProperty(Schema.NS_URI, null))) {
          return vertex;
        }
      }
      return null;
    }
  }

  private static final class Hits implements AutoCloseable {
    final IndexHits<Node> nodes;

    Hits(GraphDatabaseService database, String name) {
      nodes = database.index().forNodes(Schema.METACLASSES).get(Schema.NAME, name);
    }

    @Override
    public void close() {
      nodes.close();
    }
  }

  /** Whether a class is another or a subclass of it; every class is Ecore's EObject. */
  static boolean conforms(EClass type, EClass expected) {
    return type == expected
        || expected == EcorePackage.Literals.EOBJECT
        || type.getEAllSuperTypes().contains(expected);
  }
}
