package org.modelstress.models;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;

/**
 * How much there is in a model.
 *
 * @param elements all elements, the root included
 * @param perClass elements by the name of their class
 * @param perReference links by the name of the reference; opposites count each
 */
public record ModelCount(
    long elements, Map<String, Long> perClass, Map<String, Long> perReference) {

  /** Counts everything at and below the roots. */
  public static ModelCount of(List<? extends EObject> roots) {
    Map<String, Long> perClass = new TreeMap<>();
    Map<String, Long> perReference = new TreeMap<>();
    long elements = 0;
    for (EObject root : roots) {
      EObject element = root;
      for (Iterator<EObject> rest = root.eAllContents(); element != null; ) {
        elements++;
        perClass.merge(element.eClass().getName(), 1L, Long::sum);
        for (EReference reference : element.eClass().getEAllReferences()) {
          // an unset list is not asked for: it would be created
          Object value = element.eIsSet(reference) ? element.eGet(reference) : null;
          long links = value instanceof List<?> list ? list.size() : value == null ? 0 : 1;
          perReference.merge(reference.getName(), links, Long::sum);
        }
        element = rest.hasNext() ? rest.next() : null;
      }
    }
    return new ModelCount(elements, perClass, perReference);
  }
}
