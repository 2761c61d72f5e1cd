package org.modelstress.models.ocl;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.emf.common.notify.Notifier;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EClassifier;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.eclipse.ocl.EvaluationHaltedException;
import org.eclipse.ocl.ecore.opposites.OppositeEndFinder;
import org.eclipse.ocl.util.CollectionUtil;

/**
 * The name {@code revRefNav_<reference>} for every reference of a registry, as Hawk has it: a bag
 * of the elements whose reference holds the element, once per time that it does.
 *
 * <p>An instance is for one thread, as the parser and the evaluation are that it belongs to.
 */
public final class BackwardReferences implements OppositeEndFinder {
  private static final String PREFIX = "revRefNav_";

  /** Every reference, by its name. */
  private final Map<String, List<EReference>> references = new HashMap<>();

  private EObject root;
  private Map<EReference, Map<EObject, List<EObject>>> sources;

  public BackwardReferences(EPackage.Registry registry) {
    for (String uri : List.copyOf(registry.keySet())) {
      EPackage metamodel = registry.getEPackage(uri);
      // Ecore's own classes are no model's
      if (metamodel != null && metamodel != EcorePackage.eINSTANCE) {
        add(metamodel);
      }
    }
  }

  private void add(EPackage metamodel) {
    for (EClassifier classifier : metamodel.getEClassifiers()) {
      if (classifier instanceof EClass type) {
        type.getEReferences().forEach(this::add);
      }
    }
    metamodel.getESubpackages().forEach(this::add);
  }

  private void add(EReference reference) {
    List<EReference> named =
        references.computeIfAbsent(reference.getName(), n -> new ArrayList<>());
    // a package can be registered itself and be part of another
    if (!named.contains(reference)) {
      named.add(reference);
    }
  }

  /** All references of a name, whatever their class. */
  public List<EReference> named(String reference) {
    return references.getOrDefault(reference, List.of());
  }

  /**
   * Fixes the model for the evaluation that follows; its references are read when the first one is
   * followed back.
   */
  void over(EObject root) {
    this.root = root;
    this.sources = null;
  }

  @Override
  public void findOppositeEnds(EClassifier classifier, String name, List<EReference> ends) {
    if (!(classifier instanceof EClass type) || !name.startsWith(PREFIX)) {
      return;
    }
    List<EReference> found = new ArrayList<>();
    for (EReference reference : named(name.substring(PREFIX.length()))) {
      EClass target = reference.getEReferenceType();
      if (target == EcorePackage.Literals.EOBJECT || target.isSuperTypeOf(type)) {
        found.add(reference);
      }
    }
    if (found.size() > 1) {
      throw new AmbiguousNameException(name, ambiguity(name, type, found));
    }
    ends.addAll(found);
  }

  private static String ambiguity(String name, EClass type, List<EReference> found) {
    Set<String> classes = new TreeSet<>();
    found.forEach(r -> classes.add(r.getEContainingClass().getName()));
    return name
        + " is ambiguous for "
        + type.getName()
        + ": the classes "
        + String.join(", ", classes)
        + " each have a reference of that name.";
  }

  @Override
  public Map<String, EReference> getAllOppositeEnds(EClassifier classifier) {
    return Map.of();
  }

  @Override
  public Collection<EObject> navigateOppositePropertyWithForwardScope(
      EReference reference, EObject target) {
    EReference opposite = reference.getEOpposite();
    if (opposite != null) {
      return CollectionUtil.createNewBag(values(target, opposite));
    }
    if (sources == null) {
      sources = read();
    }
    return CollectionUtil.createNewBag(
        sources.getOrDefault(reference, Map.of()).getOrDefault(target, List.of()));
  }

  @Override
  public Collection<EObject> navigateOppositePropertyWithBackwardScope(
      EReference reference, EObject target) {
    return navigateOppositePropertyWithForwardScope(reference, target);
  }

  private Map<EReference, Map<EObject, List<EObject>>> read() {
    if (root == null) {
      throw new EvaluationHaltedException("this store cannot follow references back");
    }
    Map<EReference, Map<EObject, List<EObject>>> found = new HashMap<>();
    Iterator<?> all =
        root.eResource() == null
            ? EcoreUtil.getAllContents(EcoreUtil.getRootContainer(root), false)
            : EcoreUtil.getAllContents(root.eResource(), false);
    if (root.eResource() == null) {
      read(EcoreUtil.getRootContainer(root), found);
    }
    while (all.hasNext()) {
      read((EObject) all.next(), found);
    }
    return found;
  }

  private static void read(EObject from, Map<EReference, Map<EObject, List<EObject>>> found) {
    for (EReference reference : from.eClass().getEAllReferences()) {
      if (reference.getEOpposite() == null && !reference.isContainment()) {
        for (EObject target : values(from, reference)) {
          found
              .computeIfAbsent(reference, r -> new IdentityHashMap<>())
              .computeIfAbsent(target, t -> new ArrayList<>())
              .add(from);
        }
      }
    }
  }

  @SuppressWarnings("unchecked")
  private static Collection<EObject> values(EObject from, EReference reference) {
    Object value = from.eGet(reference);
    if (reference.isMany()) {
      return List.copyOf((Collection<EObject>) value);
    }
    return value == null ? List.of() : List.of((EObject) value);
  }

  @Override
  public Set<EObject> getAllInstancesSeeing(EClass type, Notifier context) {
    throw new UnsupportedOperationException("extents are the evaluation's");
  }

  @Override
  public Set<EObject> getAllInstancesSeenBy(EClass type, Notifier context) {
    throw new UnsupportedOperationException("extents are the evaluation's");
  }
}
