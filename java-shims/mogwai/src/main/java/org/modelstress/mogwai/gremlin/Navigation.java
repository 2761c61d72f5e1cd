package org.modelstress.mogwai.gremlin;

import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.ocl.ecore.OppositePropertyCallExp;
import org.eclipse.ocl.ecore.PropertyCallExp;
import org.eclipse.ocl.expressions.CollectionKind;
import org.eclipse.ocl.types.CollectionType;
import org.eclipse.ocl.types.TupleType;
import org.eclipse.ocl.util.CollectionUtil;
import org.modelstress.mogwai.store.Schema;
import org.neo4j.graphdb.Direction;
import org.neo4j.graphdb.DynamicRelationshipType;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.RelationshipType;

/** Attributes, references forwards and backwards, and parts of tuples. */
final class Navigation {
  private static final RelationshipType CONTAINER =
      DynamicRelationshipType.withName(Schema.CONTAINER);

  private final Compiler compiler;
  private final Scope scope;

  Navigation(Compiler compiler, Scope scope) {
    this.compiler = compiler;
    this.scope = scope;
  }

  /** Reads something of an element that is there. */
  private interface Reader {
    Object read(Node element);
  }

  Plan plan(PropertyCallExp e, boolean ordered) {
    EStructuralFeature feature = e.getReferredProperty();
    Plan source = compiler.plan(e.getSource(), false);
    CollectionKind kind =
        e.getType() instanceof CollectionType<?, ?> collection ? collection.getKind() : null;
    if (e.getSource().getType() instanceof TupleType<?, ?>) {
      return part(source, feature.getName(), kind);
    }
    check(e, feature, kind);
    if (feature instanceof EAttribute attribute) {
      return attribute(source, new Attribute(attribute), kind);
    }
    EReference reference = (EReference) feature;
    if (kind != null) {
      boolean sorted = ordered && Scope.isOrdered(e.getType());
      return neighbours(kind, source, reference.getName(), Direction.OUTGOING, sorted, null);
    }
    return element(
        Traits.totalIf(source.traits.sure()),
        source,
        reference.isContainer() ? container(reference) : single(reference));
  }

  private static void check(PropertyCallExp e, EStructuralFeature feature, CollectionKind kind) {
    if (!(e.getSource().getType() instanceof EClass) || feature.getEContainingClass() == null) {
      throw Scope.uncovered("The property " + feature.getName() + " of no model element", e);
    }
    if (feature.isDerived() || feature.isVolatile() || !e.getQualifier().isEmpty()) {
      throw Scope.uncovered("The derived property " + feature.getName(), e);
    }
    boolean many = feature.getUpperBound() > 1 || feature.getUpperBound() < 0;
    if (many != (kind != null)) {
      throw Scope.uncovered("The property " + feature.getName() + " of this type", e);
    }
  }

  private static Plan part(Plan source, String name, CollectionKind kind) {
    return Plan.of(
        Traits.UNKNOWN,
        frame -> {
          Object tuple = source.value(frame);
          if (Plan.isUndefined(tuple)) {
            return Plan.INVALID;
          }
          Object value = ((TupleValue) tuple).value(name);
          if (kind != null && !(value instanceof Collection<?>)) {
            Collection<Object> single = CollectionUtil.createNewCollection(kind);
            single.add(value);
            return single;
          }
          return value;
        });
  }

  private static Plan attribute(Plan source, Attribute attribute, CollectionKind kind) {
    boolean sure = source.traits.sure();
    if (kind != null) {
      return element(Traits.presentIf(sure), source, node -> attribute.values(node, kind));
    }
    return element(new Traits(sure, attribute.isPresent(), false), source, attribute::value);
  }

  private static Plan element(Traits traits, Plan source, Reader reader) {
    return Plan.of(
        traits,
        frame -> {
          Object element = source.value(frame);
          return Plan.isUndefined(element) ? Plan.INVALID : reader.read((Node) element);
        });
  }

  private static Reader single(EReference reference) {
    RelationshipType label = DynamicRelationshipType.withName(reference.getName());
    return node -> {
      Relationship edge = first(node, label);
      return edge == null ? null : edge.getEndNode();
    };
  }

  /** A reference to the container has no edge of its own. */
  private static Reader container(EReference reference) {
    String containment = reference.getEOpposite().getName();
    return node -> {
      Relationship edge = first(node, CONTAINER);
      return edge != null && containment.equals(edge.getProperty(Schema.CONTAINING_FEATURE, null))
          ? edge.getEndNode()
          : null;
    };
  }

  private static Relationship first(Node node, RelationshipType label) {
    try {
      Iterator<Relationship> edges = node.getRelationships(label, Direction.OUTGOING).iterator();
      return edges.hasNext() ? edges.next() : null;
    } catch (RuntimeException e) {
      throw new Signal.Store(e);
    }
  }

  /** {@code revRefNav_<reference>}: a bag, along the edges backwards. */
  Plan backward(OppositePropertyCallExp e) {
    EReference reference = e.getReferredOppositeProperty();
    Plan source = compiler.plan(e.getSource(), false);
    if (!(e.getSource().getType() instanceof EClass)) {
      throw Scope.uncovered("A reference backwards from no model element", e);
    }
    CollectionKind kind = ((CollectionType<?, ?>) e.getType()).getKind();
    if (reference.isContainer()) {
      String containment = reference.getEOpposite().getName();
      return neighbours(kind, source, containment, Direction.OUTGOING, false, null);
    }
    EClass only = scope.sharesName(reference.getName()) ? reference.getEContainingClass() : null;
    return neighbours(kind, source, reference.getName(), Direction.INCOMING, false, only);
  }

  private Plan neighbours(
      CollectionKind kind,
      Plan source,
      String label,
      Direction direction,
      boolean ordered,
      EClass only) {
    Source from = new Neighbours(source, label, direction, ordered, only);
    return scope.stream(kind, List.of(new Stage.Expand(from, source.traits.sure())), true);
  }
}
