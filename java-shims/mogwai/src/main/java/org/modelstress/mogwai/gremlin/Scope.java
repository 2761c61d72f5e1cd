package org.modelstress.mogwai.gremlin;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EClassifier;
import org.eclipse.emf.ecore.EOperation;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EParameter;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.ocl.expressions.CollectionKind;
import org.eclipse.ocl.expressions.OCLExpression;
import org.eclipse.ocl.expressions.Variable;
import org.eclipse.ocl.types.CollectionType;
import org.eclipse.ocl.types.TupleType;
import org.eclipse.ocl.utilities.ASTNode;
import org.modelstress.models.ocl.BackwardReferences;

/** What is known while one query is compiled; for one thread. */
final class Scope {
  /**
   * A variable.
   *
   * @param slot where its value stands in the {@link Frame}
   */
  record Binding(int slot, Traits traits) {}

  private final Map<Variable<EClassifier, EParameter>, Binding> bindings = new IdentityHashMap<>();
  private final Map<EClassifier, TupleValue.Shape> shapes = new HashMap<>();
  private final EPackage.Registry packages;
  private final BackwardReferences backward;
  private int slots;
  private int pipelines;

  Scope(EPackage.Registry packages, BackwardReferences backward) {
    this.packages = packages;
    this.backward = backward;
  }

  int slots() {
    return slots;
  }

  int pipelines() {
    return pipelines;
  }

  Binding bind(Variable<EClassifier, EParameter> variable, Traits traits) {
    Binding binding = new Binding(slots++, traits);
    bindings.put(variable, binding);
    return binding;
  }

  /** Binds a variable to the elements of a pipeline; gives the pipeline that puts them there. */
  StreamPlan bind(Variable<EClassifier, EParameter> variable, StreamPlan elements) {
    StreamPlan source = elements.slot() == Stage.NO_SLOT ? elements.withSlot(slots++) : elements;
    Traits traits = new Traits(true, source.traits.elements(), false);
    bindings.put(variable, new Binding(source.slot(), traits));
    return source;
  }

  /** Null for {@code self}. */
  Binding binding(Variable<EClassifier, EParameter> variable) {
    return bindings.get(variable);
  }

  StreamPlan stream(CollectionKind kind, List<Stage> stages, boolean elements) {
    return new StreamPlan(kind, stages, elements, pipelines++);
  }

  TupleValue.Shape shape(EClassifier type) {
    return shapes.computeIfAbsent(
        type,
        t ->
            new TupleValue.Shape(
                t,
                ((TupleType<?, ?>) t)
                    .oclProperties().stream()
                        .map(p -> ((EStructuralFeature) p).getName())
                        .toArray(String[]::new)));
  }

  /** Whether an operation is a metamodel's, not OCL's. */
  boolean isOfModel(EOperation operation) {
    EClass owner = operation.getEContainingClass();
    EPackage metamodel = owner == null ? null : owner.getEPackage();
    return metamodel != null
        && metamodel.getNsURI() != null
        && packages.getEPackage(metamodel.getNsURI()) == metamodel;
  }

  /** Whether classes other than the reference's own have one of the same name. */
  boolean sharesName(String reference) {
    return backward.named(reference).size() > 1;
  }

  /** The class, if it is concrete, and its concrete subclasses in all metamodels. */
  List<EClass> concreteClasses(EClass of) {
    List<EClass> found = new ArrayList<>();
    for (String uri : List.copyOf(packages.keySet())) {
      EPackage metamodel = packages.getEPackage(uri);
      if (metamodel != null) {
        concreteClasses(of, metamodel, found);
      }
    }
    return found;
  }

  private static void concreteClasses(EClass of, EPackage metamodel, List<EClass> found) {
    for (EClassifier classifier : metamodel.getEClassifiers()) {
      // EObject itself is the class of NeoEMF's root vertex only
      if (classifier instanceof EClass type
          && type != EcorePackage.Literals.EOBJECT
          && !type.isAbstract()
          && !type.isInterface()
          && Elements.conforms(type, of)
          && !found.contains(type)) {
        found.add(type);
      }
    }
    metamodel.getESubpackages().forEach(p -> concreteClasses(of, p, found));
  }

  /** Whether a value of the type has an order that can be seen. */
  static boolean isOrdered(EClassifier type) {
    return type instanceof CollectionType<?, ?> collection
        && switch (collection.getKind()) {
          case SET_LITERAL, BAG_LITERAL -> false;
          default -> true;
        };
  }

  /** Where an expression, or the name in a call, begins. */
  static int offset(Object node) {
    if (node instanceof org.eclipse.ocl.utilities.CallingASTNode call
        && call.getPropertyStartPosition() >= 0) {
      return call.getPropertyStartPosition();
    }
    return node instanceof ASTNode tree ? tree.getStartPosition() : 0;
  }

  static UncoveredException uncovered(String construct, OCLExpression<EClassifier> at) {
    return new UncoveredException(construct, offset(at));
  }
}
