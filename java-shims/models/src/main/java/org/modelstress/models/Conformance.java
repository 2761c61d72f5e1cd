package org.modelstress.models;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.common.util.Diagnostic;
import org.eclipse.emf.common.util.DiagnosticChain;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.EValidator;
import org.eclipse.emf.ecore.impl.EValidatorRegistryImpl;
import org.eclipse.emf.ecore.resource.impl.ResourceImpl;
import org.eclipse.emf.ecore.util.Diagnostician;
import org.eclipse.emf.ecore.util.EObjectValidator;
import org.eclipse.emf.ecore.util.EcoreUtil;

/** Asks EMF's own validator whether elements conform to their metamodel. */
final class Conformance {
  private static final int SHOWN_PROBLEMS = 3;

  /** One validator for all: Ecore's own takes elements whose class extends one of Ecore for it. */
  private static final EValidator.Registry RULES = new EValidatorRegistryImpl();

  static {
    RULES.put(null, new StoredFeatures());
  }

  private Conformance() {}

  /** EMF's rules, except that a feature that no file holds a value of need not have one. */
  private static final class StoredFeatures extends EObjectValidator {
    @Override
    protected boolean validate_MultiplicityConforms(
        EObject element,
        EStructuralFeature feature,
        DiagnosticChain problems,
        Map<Object, Object> context) {
      return feature.isDerived()
          || feature.isTransient()
          || feature.isVolatile()
          || super.validate_MultiplicityConforms(element, feature, problems, context);
    }
  }

  /**
   * Checks everything at and below the topmost elements of a file, as far as it is in that file.
   *
   * @param file for messages
   * @param contents its topmost elements, in the resource that they were read into
   * @throws ModelException naming the first elements that do not conform
   */
  static void check(Path file, List<EObject> contents) throws ModelException {
    Problems problems = new Problems();
    ResourceImpl resource = (ResourceImpl) contents.get(0).eResource();
    // otherwise the validator, to find one ID, looks at all elements before it
    resource.setIntrinsicIDToEObjectMap(ids(contents));
    for (EObject topmost : contents) {
      Validator validator = new Validator(topmost);
      Map<Object, Object> context = validator.createDefaultContext();
      for (Iterator<EObject> all = properContents(topmost); all.hasNext(); ) {
        EObject element = all.next();
        validator.validate(element.eClass(), element, problems, context);
      }
    }
    resource.setIntrinsicIDToEObjectMap(null);
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

  private static Map<String, EObject> ids(List<EObject> contents) {
    Map<String, EObject> ids = new HashMap<>();
    for (EObject topmost : contents) {
      for (Iterator<EObject> all = properContents(topmost); all.hasNext(); ) {
        EObject element = all.next();
        String id = EcoreUtil.getID(element);
        if (id != null) {
          ids.putIfAbsent(id, element);
        }
      }
    }
    return ids;
  }

  /** The element itself, too. */
  private static Iterator<EObject> properContents(EObject topmost) {
    return EcoreUtil.getAllProperContents(List.of(topmost), true);
  }

  /** One element at a time, because EMF's own walk recurses, which a deep model is too deep for. */
  private static final class Validator extends Diagnostician {
    private final EObject topmost;

    Validator(EObject topmost) {
      super(RULES);
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
