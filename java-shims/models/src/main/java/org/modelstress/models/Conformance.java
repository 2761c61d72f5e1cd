package org.modelstress.models;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.common.util.Diagnostic;
import org.eclipse.emf.common.util.DiagnosticChain;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.util.Diagnostician;
import org.eclipse.emf.ecore.util.EcoreUtil;

/** Asks EMF's own validator whether elements conform to their metamodel. */
final class Conformance {
  private static final int SHOWN_PROBLEMS = 3;

  private Conformance() {}

  /**
   * Checks everything at and below an element, as far as it is in the same file.
   *
   * @param file its file, for messages
   * @throws ModelException naming the first elements that do not conform
   */
  static void check(Path file, EObject topmost) throws ModelException {
    Problems problems = new Problems();
    Validator validator = new Validator(topmost);
    Map<Object, Object> context = validator.createDefaultContext();
    EObject element = topmost;
    for (Iterator<EObject> rest = EcoreUtil.getAllProperContents(topmost, true);
        element != null; ) {
      validator.validate(element.eClass(), element, problems, context);
      element = rest.hasNext() ? rest.next() : null;
    }
    if (problems.count > 0) {
      throw new ModelException(
          "Model "
              + file
              + " does not conform to its metamodel, in "
              + problems.count
              + (problems.count == 1 ? " place: " : " places: ")
              + String.join("; ", problems.first)
              + ".");
    }
  }

  /** One element at a time, because EMF's own walk recurses, which a deep model is too deep for. */
  private static final class Validator extends Diagnostician {
    private final EObject topmost;

    Validator(EObject topmost) {
      this.topmost = topmost;
    }

    @Override
    protected boolean doValidateContents(
        EObject element, DiagnosticChain problems, Map<Object, Object> context) {
      return true;
    }

    @Override
    public String getObjectLabel(EObject element) {
      String name = element.eClass().getName();
      return element == topmost || !EcoreUtil.isAncestor(topmost, element)
          ? name
          : name + " " + EcoreUtil.getRelativeURIFragmentPath(topmost, element);
    }
  }

  /** Counts errors and keeps the first few: a wrong model may have millions. */
  private static final class Problems implements DiagnosticChain {
    private final List<String> first = new ArrayList<>();
    private long count;

    @Override
    public void add(Diagnostic problem) {
      if (problem.getSeverity() >= Diagnostic.ERROR) {
        count++;
        if (first.size() < SHOWN_PROBLEMS) {
          first.add(problem.getMessage());
        }
      }
    }

    @Override
    public void addAll(Diagnostic problem) {
      problem.getChildren().forEach(this::add);
    }

    @Override
    public void merge(Diagnostic problem) {
      if (problem.getChildren().isEmpty()) {
        add(problem);
      } else {
        addAll(problem);
      }
    }
  }
}
