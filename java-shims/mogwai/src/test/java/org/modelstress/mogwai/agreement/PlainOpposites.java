package org.modelstress.mogwai.agreement;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.emf.common.notify.Notifier;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EClassifier;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.ocl.ecore.opposites.OppositeEndFinder;
import org.eclipse.ocl.util.CollectionUtil;
import org.modelstress.models.ocl.BackwardReferences;

/**
 * The names of {@link BackwardReferences}, followed back in the plainest way: by asking every
 * element of the model how often its reference holds the target.
 */
final class PlainOpposites implements OppositeEndFinder {
  private final BackwardReferences names = new BackwardReferences(Farm.registry());
  private final List<EObject> elements;

  PlainOpposites(List<EObject> elements) {
    this.elements = elements;
  }

  @Override
  public void findOppositeEnds(EClassifier classifier, String name, List<EReference> ends) {
    names.findOppositeEnds(classifier, name, ends);
  }

  @Override
  public Map<String, EReference> getAllOppositeEnds(EClassifier classifier) {
    return names.getAllOppositeEnds(classifier);
  }

  @Override
  public Collection<EObject> navigateOppositePropertyWithForwardScope(
      EReference reference, EObject target) {
    List<EObject> found = new ArrayList<>();
    for (EObject element : elements) {
      if (reference.getEContainingClass().isInstance(element)) {
        Object value = element.eGet(reference);
        Collection<?> values = value instanceof Collection<?> many ? many : List.of();
        values.stream().filter(each -> each == target).forEach(each -> found.add(element));
        if (value == target) {
          found.add(element);
        }
      }
    }
    return CollectionUtil.createNewBag(found); // a list would be no bag's equal
  }

  @Override
  public Collection<EObject> navigateOppositePropertyWithBackwardScope(
      EReference reference, EObject target) {
    return navigateOppositePropertyWithForwardScope(reference, target);
  }

  @Override
  public Set<EObject> getAllInstancesSeeing(EClass type, Notifier context) {
    throw new UnsupportedOperationException("extents are InMemory's");
  }

  @Override
  public Set<EObject> getAllInstancesSeenBy(EClass type, Notifier context) {
    throw new UnsupportedOperationException("extents are InMemory's");
  }
}
