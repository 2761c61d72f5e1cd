package org.modelstress.mogwai.agreement;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EClassifier;

/**
 * A type of OCL as the generator sees it.
 *
 * @param kind what it is
 * @param classifier of ENUMERATION and CLASS, else null
 * @param element of a collection, else null
 * @param parts of a TUPLE, else null
 * @param ordered of a SEQUENCE or ORDERED_SET: whether OCL says in which order the values come; not
 *     so where they were once in a set
 */
record OclType(
    Kind kind,
    EClassifier classifier,
    OclType element,
    Map<String, OclType> parts,
    boolean ordered) {
  enum Kind {
    BOOLEAN("Boolean"),
    INTEGER("Integer"),
    REAL("Real"),
    STRING("String"),
    ENUMERATION(""),
    CLASS(""),
    TUPLE("Tuple"),
    SET("Set"),
    ORDERED_SET("OrderedSet"),
    BAG("Bag"),
    SEQUENCE("Sequence"),
    /** What {@code selectByKind} has, as Eclipse OCL types it: of any kind. */
    COLLECTION("Collection");

    final String text;

    Kind(String text) {
      this.text = text;
    }

    boolean isCollection() {
      return compareTo(SET) >= 0;
    }

    boolean isSequential() {
      return this == SEQUENCE || this == ORDERED_SET;
    }

    boolean isUnique() {
      return this == SET || this == ORDERED_SET;
    }
  }

  static final OclType BOOLEAN = new OclType(Kind.BOOLEAN, null, null, null, false);
  static final OclType INTEGER = new OclType(Kind.INTEGER, null, null, null, false);
  static final OclType REAL = new OclType(Kind.REAL, null, null, null, false);
  static final OclType STRING = new OclType(Kind.STRING, null, null, null, false);
  static final OclType COLOUR = new OclType(Kind.ENUMERATION, Farm.COLOUR, null, null, false);

  static OclType of(EClass eClass) {
    return new OclType(Kind.CLASS, eClass, null, null, false);
  }

  static OclType tuple(Map<String, OclType> parts) {
    return new OclType(Kind.TUPLE, null, null, new LinkedHashMap<>(parts), false);
  }

  /** A collection; {@code ordered} is of no meaning for sets and bags. */
  static OclType collection(Kind kind, OclType element, boolean ordered) {
    return new OclType(kind, null, element, null, ordered && kind.isSequential());
  }

  boolean isCollection() {
    return kind.isCollection();
  }

  boolean isNumber() {
    return kind == Kind.INTEGER || kind == Kind.REAL;
  }

  boolean isScalar() {
    return kind.compareTo(Kind.TUPLE) < 0;
  }

  EClass eClass() {
    return (EClass) classifier;
  }

  /** Whether every order in a value of this type is defined, so that values can be compared. */
  boolean isComparable() {
    if (kind.isSequential() && !ordered) {
      return false;
    }
    return switch (kind) {
      case TUPLE -> parts.values().stream().allMatch(OclType::isComparable);
      case COLLECTION -> false;
      default -> element == null || element.isComparable();
    };
  }

  /** Whether a value of this type may stand where one of another type is wanted. */
  boolean fits(OclType wanted) {
    if (wanted.kind != kind) {
      return kind == Kind.INTEGER && wanted.kind == Kind.REAL;
    }
    if (isCollection()) {
      return element.fits(wanted.element) && (ordered || !wanted.ordered);
    }
    if (kind == Kind.CLASS) {
      return wanted.eClass().isSuperTypeOf(eClass());
    }
    return kind != Kind.TUPLE || equals(wanted);
  }

  /** As it is written in OCL. */
  @Override
  public String toString() {
    if (classifier != null) {
      return Farm.path(classifier);
    }
    if (kind == Kind.TUPLE) {
      return parts.entrySet().stream()
          .map(part -> part.getKey() + " : " + part.getValue())
          .collect(Collectors.joining(", ", "Tuple(", ")"));
    }
    return isCollection() ? kind.text + "(" + element + ")" : kind.text;
  }
}
