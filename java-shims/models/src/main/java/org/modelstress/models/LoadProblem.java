package org.modelstress.models;

import java.io.IOException;
import org.eclipse.emf.common.util.WrappedException;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.xmi.ClassNotFoundException;
import org.eclipse.emf.ecore.xmi.FeatureNotFoundException;
import org.eclipse.emf.ecore.xmi.IllegalValueException;
import org.eclipse.emf.ecore.xmi.UnresolvedReferenceException;
import org.eclipse.emf.ecore.xmi.XMIException;

/** Says in words for people why EMF could not read a document. */
final class LoadProblem {
  private static final int SHOWN_CHARACTERS = 80;

  /** A reason of our own, found while EMF was reading. */
  static final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RefusedException(String message) {
      super(message);
    }
  }

  private LoadProblem() {}

  /** What goes on after the document's name, without a full stop. */
  static String of(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof RefusedException) {
        return each.getMessage();
      }
    }
    Throwable cause = failure;
    while (cause.getCause() != null
        && (cause instanceof WrappedException || cause instanceof IOException)) {
      cause = cause.getCause();
    }
    return cause instanceof XMIException inXml ? of(inXml) + place(inXml) : damaged(cause);
  }

  private static String of(XMIException problem) {
    if (problem instanceof IllegalValueException value) {
      return "has " + text(value.getValue()) + " in " + feature(value.getFeature());
    }
    if (problem instanceof FeatureNotFoundException feature) {
      return "has a feature '"
          + feature.getName()
          + "' in "
          + text(feature.getObject())
          + ", which has none of that name";
    }
    if (problem instanceof ClassNotFoundException eClass) {
      return "has an element of class '"
          + eClass.getName()
          + "', which is abstract or not in its metamodel";
    }
    if (problem instanceof UnresolvedReferenceException link) {
      return "has a link to '" + link.getReference() + "', which is not in it";
    }
    return damaged(problem);
  }

  private static String feature(EStructuralFeature feature) {
    String type = feature.getEType() == null ? "something else" : feature.getEType().getName();
    return feature.getEContainingClass().getName()
        + "."
        + feature.getName()
        + ", whose type is "
        + type;
  }

  private static String text(Object value) {
    if (value instanceof EObject element) {
      return "a " + element.eClass().getName();
    }
    String text = String.valueOf(value);
    boolean whole = text.length() <= SHOWN_CHARACTERS;
    return "'" + (whole ? text : text.substring(0, SHOWN_CHARACTERS) + "…") + "'";
  }

  private static String place(XMIException problem) {
    return problem.getLine() <= 0
        ? ""
        : " (line " + problem.getLine() + ", column " + problem.getColumn() + ")";
  }

  private static String damaged(Throwable cause) {
    if (cause instanceof NullPointerException) {
      return "is damaged or of another version of its metamodel";
    }
    String text = cause.getMessage() == null ? cause.toString() : cause.getMessage();
    if (text.contains("disallow-doctype-decl")) {
      return "has a DOCTYPE, which is never read; remove it";
    }
    if (cause instanceof XMIException inXml) {
      // EMF adds the address and the place
      text =
          text.replace(
              " (" + inXml.getLocation() + ", " + inXml.getLine() + ", " + inXml.getColumn() + ")",
              "");
    }
    return "is truncated or damaged: " + text.strip().replaceAll("[.\\s]+$", "");
  }
}
