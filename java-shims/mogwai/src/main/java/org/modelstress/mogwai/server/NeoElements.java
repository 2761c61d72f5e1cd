package org.modelstress.mogwai.server;

import com.tinkerpop.blueprints.impls.neo4j.Neo4jVertex;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.emf.common.util.Enumerator;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.modelstress.hawk.api.QueryResult;
import org.modelstress.hawk.api.SlotValue;
import org.modelstress.mogwai.store.ModelGraph;
import org.modelstress.mogwai.store.Schema;
import org.modelstress.thrift.results.ElementSource;
import org.modelstress.thrift.results.FileName;
import org.modelstress.thrift.results.SlotValues;
import org.neo4j.graphdb.Direction;
import org.neo4j.graphdb.DynamicRelationshipType;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.RelationshipType;

/**
 * The elements of a NeoEMF database, as Neo4j's nodes; for any number of threads. Identifiers alone
 * cost one property; NeoEMF does not know files.
 */
final class NeoElements implements ElementSource<Node, EClass> {
  private static final RelationshipType INSTANCE_OF = type(Schema.INSTANCE_OF);
  private static final RelationshipType CONTAINER = type(Schema.CONTAINER);
  private static final RelationshipType CONTENTS = type(Schema.CONTENTS);

  private final ModelGraph graph;

  /** Classes by the node that stands for each. */
  private final Map<Long, EClass> classes = new ConcurrentHashMap<>();

  NeoElements(ModelGraph graph) {
    this.graph = graph;
  }

  private static RelationshipType type(String label) {
    return DynamicRelationshipType.withName(label);
  }

  /** The elements that no other one contains. */
  List<Node> roots() {
    return targets(find(Schema.ROOT), CONTENTS);
  }

  /** The elements with these identifiers, apart from those that do not exist. */
  List<Node> elements(List<String> ids) {
    List<Node> found = new ArrayList<>();
    for (String id : ids) {
      Node node = id.equals(Schema.ROOT) ? null : find(id);
      if (node != null && node.hasRelationship(INSTANCE_OF, Direction.OUTGOING)) {
        found.add(node);
      }
    }
    return found;
  }

  private Node find(String id) {
    return graph
        .database()
        .index()
        .getNodeAutoIndexer()
        .getAutoIndex()
        .get(Schema.ID, id)
        .getSingle();
  }

  @Override
  public Node element(Object value) {
    return value instanceof Neo4jVertex vertex ? vertex.getRawVertex() : null;
  }

  @Override
  public String id(Node element) {
    return (String) element.getProperty(Schema.ID);
  }

  @Override
  public EClass type(Node element) {
    Node type = element.getSingleRelationship(INSTANCE_OF, Direction.OUTGOING).getEndNode();
    return classes.computeIfAbsent(type.getId(), id -> classOf(type));
  }

  private EClass classOf(Node type) {
    EPackage metamodel = graph.packages().getEPackage((String) type.getProperty(Schema.NS_URI));
    return (EClass) metamodel.getEClassifier((String) type.getProperty(Schema.NAME));
  }

  @Override
  public String metamodel(EClass type) {
    return type.getEPackage().getNsURI();
  }

  @Override
  public String name(EClass type) {
    return type.getName();
  }

  @Override
  public FileName file(Node element) {
    return null;
  }

  @Override
  public boolean describesIdentifiers() {
    return false;
  }

  @Override
  public List<Feature<Node>> features(EClass type) {
    List<Feature<Node>> features = new ArrayList<>();
    for (EStructuralFeature feature : type.getEAllStructuralFeatures()) {
      if (feature.isDerived() || feature.isVolatile()) {
        continue; // NeoEMF does not store it
      }
      String name = feature.getName();
      if (feature instanceof EAttribute attribute) {
        features.add(new Attribute<>(name, false, e -> value(e, attribute)));
      } else if (feature instanceof EReference reference) {
        RelationshipType label = type(name);
        features.add(
            new Reference<>(
                name,
                reference.isContainment(),
                reference.isContainer() ? e -> container(e, reference) : e -> targets(e, label)));
      }
    }
    return features;
  }

  private static SlotValue value(Node element, EAttribute attribute) {
    String name = attribute.getName();
    if (!attribute.isMany()) {
      Object text = element.getProperty(name, null);
      return text == null ? null : SlotValues.of(parse(attribute, text));
    }
    int size = (Integer) element.getProperty(Schema.size(name), 0);
    List<Object> values = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      values.add(parse(attribute, element.getProperty(Schema.value(name, i))));
    }
    return values.isEmpty() ? null : SlotValues.ofAll(values);
  }

  /** Truth values and numbers as the API has them, a literal's name, and the text of the rest. */
  private static Object parse(EAttribute attribute, Object stored) {
    String text = String.valueOf(stored);
    Object value = EcoreUtil.createFromString(attribute.getEAttributeType(), text);
    if (value instanceof Boolean
        || value instanceof Integer
        || value instanceof Long
        || value instanceof Double) {
      return value;
    } else if (value instanceof Short || value instanceof Byte) {
      return ((Number) value).intValue();
    } else if (value instanceof Float real) {
      return real.doubleValue();
    }
    return value instanceof Enumerator literal ? literal.getName() : text;
  }

  private static List<Node> targets(Node element, RelationshipType label) {
    List<Relationship> edges = new ArrayList<>();
    element.getRelationships(label, Direction.OUTGOING).forEach(edges::add);
    edges.sort(Comparator.comparingInt(edge -> (Integer) edge.getProperty(Schema.POSITION, 0)));
    return edges.stream().map(Relationship::getEndNode).toList();
  }

  /** A reference to the container is there if the container has the element by its opposite. */
  private static List<Node> container(Node element, EReference reference) {
    Relationship edge = element.getSingleRelationship(CONTAINER, Direction.OUTGOING);
    String by = edge == null ? null : (String) edge.getProperty(Schema.CONTAINING_FEATURE);
    return reference.getEOpposite().getName().equals(by) ? List.of(edge.getEndNode()) : List.of();
  }

  @Override
  public QueryResult other(Object value) {
    return QueryResult.vString(
        value instanceof Enumerator literal ? literal.getName() : String.valueOf(value));
  }

  @Override
  public String key(Object key) {
    return String.valueOf(key);
  }
}
