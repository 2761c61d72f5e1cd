package org.modelstress.models.jdt;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.common.util.EList;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.util.InternalEList;
import org.eclipse.jdt.core.dom.ASTNode;
import org.eclipse.jdt.core.dom.CompilationUnit;
import org.eclipse.jdt.core.dom.Modifier;
import org.eclipse.jdt.core.dom.Name;
import org.eclipse.jdt.core.dom.StructuralPropertyDescriptor;

/** Copies JDT's trees into elements of the metamodel. */
final class TreeCopy {
  /** A property of a kind of nodes and where it goes. */
  private record Slot(StructuralPropertyDescriptor property, EStructuralFeature feature) {}

  /** All slots of a class. */
  private record Shape(EClass eClass, List<Slot> slots) {}

  private final JdtMetamodel metamodel;
  private final Map<Class<?>, Shape> shapes = new IdentityHashMap<>();
  // the same few names stand in a model a million times
  private final Map<String, String> texts = new HashMap<>();
  private final Map<String, EStructuralFeature> keywords = new HashMap<>();
  private final EStructuralFeature fullyQualifiedName;
  private final EStructuralFeature comments;
  private long nodes;

  TreeCopy(JdtMetamodel metamodel) {
    this.metamodel = metamodel;
    EClass modifier = (EClass) metamodel.dom().getEClassifier("Modifier");
    for (String keyword : Keywords.all()) {
      keywords.put(keyword, modifier.getEStructuralFeature(Keywords.feature(keyword)));
    }
    fullyQualifiedName =
        ((EClass) metamodel.dom().getEClassifier("Name"))
            .getEStructuralFeature("fullyQualifiedName");
    comments =
        ((EClass) metamodel.dom().getEClassifier("CompilationUnit"))
            .getEStructuralFeature("comments");
  }

  /** Nodes copied so far. */
  long nodes() {
    return nodes;
  }

  /** The text, the same object for equal ones. */
  String intern(String text) {
    String known = texts.putIfAbsent(text, text);
    return known == null ? text : known;
  }

  /** Copies a whole compilation unit. */
  EObject copy(CompilationUnit unit) {
    Map<ASTNode, EObject> documentation = new IdentityHashMap<>();
    EObject copy = copy(unit, documentation);
    // comments that are in the tree; the others belong to no node
    for (Object comment : unit.getCommentList()) {
      EObject element = documentation.get(comment);
      if (element != null) {
        list(copy, comments).addUnique(element);
      }
    }
    return copy;
  }

  private EObject copy(ASTNode node, Map<ASTNode, EObject> documentation) {
    nodes++;
    Shape shape = shapes.computeIfAbsent(node.getClass(), type -> shape(node));
    EObject element = shape.eClass().getEPackage().getEFactoryInstance().create(shape.eClass());
    for (Slot slot : shape.slots()) {
      Object value = node.getStructuralProperty(slot.property());
      if (value instanceof List<?> children) {
        for (Object child : children) {
          list(element, slot.feature()).addUnique(copy((ASTNode) child, documentation));
        }
      } else if (value instanceof ASTNode child) {
        element.eSet(slot.feature(), copy(child, documentation));
      } else if (value instanceof Boolean) {
        element.eSet(slot.feature(), value);
      } else if (value != null) {
        element.eSet(slot.feature(), intern(value.toString()));
      }
    }
    if (node instanceof Modifier modifier) {
      element.eSet(keywords.get(modifier.getKeyword().toString()), true);
    } else if (node instanceof Name name) {
      element.eSet(fullyQualifiedName, intern(name.getFullyQualifiedName()));
    } else if (node instanceof org.eclipse.jdt.core.dom.Comment) {
      documentation.put(node, element);
    }
    return element;
  }

  private Shape shape(ASTNode node) {
    EClass eClass = metamodel.classOf(node);
    List<Slot> slots =
        ((List<?>) node.structuralPropertiesForType())
            .stream()
                .map(StructuralPropertyDescriptor.class::cast)
                .map(property -> new Slot(property, metamodel.feature(eClass, property)))
                .filter(slot -> slot.feature() != null)
                .toList();
    return new Shape(eClass, slots);
  }

  @SuppressWarnings("unchecked")
  private static InternalEList<EObject> list(EObject owner, EStructuralFeature feature) {
    return (InternalEList<EObject>) (EList<?>) owner.eGet(feature);
  }
}
