package org.modelstress.models;

import java.util.List;
import java.util.stream.LongStream;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;

/** Models as text, to be compared. */
public final class ModelText {
  private ModelText() {}

  /** Every element with its class, attributes and links, in index order. */
  public static List<String> of(List<? extends EObject> roots) {
    ElementIndex index = new ElementIndex(roots);
    return LongStream.range(0, index.size()).mapToObj(i -> of(index.element(i), index)).toList();
  }

  private static String of(EObject element, ElementIndex index) {
    StringBuilder text = new StringBuilder(element.eClass().getName());
    for (EAttribute attribute : element.eClass().getEAllAttributes()) {
      text.append(' ').append(attribute.getName()).append('=').append(element.eGet(attribute));
    }
    for (EReference reference : element.eClass().getEAllReferences()) {
      Object value = element.eGet(reference);
      List<?> links = value instanceof List<?> l ? l : value == null ? List.of() : List.of(value);
      text.append(' ').append(reference.getName());
      links.forEach(link -> text.append(' ').append(index.indexOf((EObject) link)));
    }
    return text.toString();
  }
}
