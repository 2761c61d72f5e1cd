package org.modelstress.mogwai.gremlin;

import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EClassifier;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.ocl.types.AnyType;
import org.eclipse.ocl.types.InvalidType;
import org.eclipse.ocl.types.VoidType;
import org.neo4j.graphdb.Node;

/**
 * Whether a value is of a type, as Eclipse OCL decides it with its default options.
 *
 * @param exact of the type itself, not of a subtype
 */
record TypeTest(EClassifier type, boolean exact) {
  /** For {@code oclIsTypeOf} and {@code oclIsKindOf}. */
  boolean of(Object value, Elements elements) {
    if (value == null) {
      return exact ? type instanceof VoidType<?> : !(type instanceof InvalidType<?>);
    }
    if (value == Plan.INVALID) {
      return !exact || type instanceof InvalidType<?>;
    }
    return exact ? isTypeOf(value, elements) : isKindOf(value, elements);
  }

  /** For {@code selectByType} and {@code selectByKind}, which leaves null out. */
  boolean holds(Object value, Elements elements) {
    return (exact || value != null) && of(value, elements);
  }

  private boolean isTypeOf(Object value, Elements elements) {
    if (value instanceof Node element) {
      return type instanceof EClass && elements.classOf(element) == type;
    }
    return !(value instanceof EObject)
        && !(type instanceof EClass)
        && value.getClass() == type.getInstanceClass();
  }

  private boolean isKindOf(Object value, Elements elements) {
    if (type instanceof AnyType<?>) {
      return true;
    }
    if (value instanceof Node element) {
      return type instanceof EClass expected
          ? expected == EcorePackage.Literals.EOBJECT
              || Elements.conforms(elements.classOf(element), expected)
          : type.getInstanceClass() == Object.class;
    }
    if (value instanceof Integer && type.getInstanceClass() == Double.class) {
      return true;
    }
    return type.isInstance(value);
  }
}
