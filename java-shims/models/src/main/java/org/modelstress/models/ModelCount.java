package org.modelstress.models;

import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.emf.ecore.EClass;
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
    Map<EClass, Tally> tallies = new HashMap<>();
    for (EObject root : roots) {
      EObject element = root;
      for (Iterator<EObject> rest = root.eAllContents(); element != null; ) {
        tallies.computeIfAbsent(element.eClass(), Tally::new).add(element);
        element = rest.hasNext() ? rest.next() : null;
      }
    }
    Map<String, Long> perClass = new TreeMap<>();
    Map<String, Long> perReference = new TreeMap<>();
    long elements = 0;
    for (Map.Entry<EClass, Tally> each : tallies.entrySet()) {
      Tally tally = each.getValue();
      elements += tally.elements;
      perClass.merge(each.getKey().getName(), tally.elements, Long::sum);
      for (int i = 0; i < tally.references.length; i++) {
        perReference.merge(tally.references[i].getName(), tally.links[i], Long::sum);
      }
    }
    return new ModelCount(elements, perClass, perReference);
  }

  /** The counts of one class. */
  private static final class Tally {
    private final EReference[] references;
    private final long[] links;
    private long elements;

    Tally(EClass eClass) {
      references = eClass.getEAllReferences().toArray(EReference[]::new);
      links = new long[references.length];
    }

    void add(EObject element) {
      elements++;
      for (int i = 0; i < references.length; i++) {
        // an unset list is not asked for: it would be created
        if (element.eIsSet(references[i])) {
          Object value = element.eGet(references[i]);
          links[i] += value instanceof List<?> list ? list.size() : value == null ? 0 : 1;
        }
      }
    }
  }
}
