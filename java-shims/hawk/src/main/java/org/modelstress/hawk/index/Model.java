package org.modelstress.hawk.index;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.collections.impl.map.mutable.primitive.ObjectIntHashMap;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.xmi.XMLResource;
import org.modelstress.hawk.catalog.Layout;
import org.modelstress.hawk.catalog.Values;
import org.modelstress.models.ModelPart;
import org.modelstress.models.ModelSource;

/**
 * A model in memory, or some of its files. The elements are numbered in containment order, whatever
 * files they are in.
 */
final class Model {
  /** Number of the file of an element that stands for one that was not read. */
  static final int ELSEWHERE = -1;

  private static final int[] NOTHING = {};

  /** The features of a class that the graph keeps. */
  private record Features(List<EAttribute> attributes, List<EReference> references) {}

  private final List<EObject> elements = new ArrayList<>();
  // elements have no equality of their own, so this map goes by identity
  private final ObjectIntHashMap<EObject> indices;
  private final Map<EClass, Features> features = new IdentityHashMap<>();
  private final List<ModelSource.File> files;
  private final Map<EObject, String> elsewhere;
  private final int[] fileOf; // null: all are in the only file
  private final XMLResource resource;

  /** A whole model. */
  Model(ModelSource source) {
    this(source.roots(), source.files(), Map.of());
  }

  /** Some files of a model. */
  Model(ModelPart part) {
    this(part.roots(), part.files(), part.elsewhere());
  }

  private Model(List<EObject> roots, List<ModelSource.File> files, Map<EObject, String> elsewhere) {
    this.files = files;
    this.elsewhere = elsewhere;
    for (EObject root : roots) {
      elements.add(root);
      for (Iterator<EObject> all = root.eAllContents(); all.hasNext(); ) {
        elements.add(all.next());
      }
    }
    indices = new ObjectIntHashMap<>(elements.size());
    for (int i = 0; i < elements.size(); i++) {
      indices.put(elements.get(i), i);
    }
    fileOf = files.size() == 1 && elsewhere.isEmpty() ? null : filesOfElements();
    resource = !roots.isEmpty() && roots.get(0).eResource() instanceof XMLResource xml ? xml : null;
  }

  /** An element is in the file of its nearest ancestor that is one of a file's topmost. */
  private int[] filesOfElements() {
    Map<EObject, Integer> known = new IdentityHashMap<>();
    for (int f = 0; f < files.size(); f++) {
      for (EObject topmost : files.get(f).contents()) {
        known.put(topmost, f);
      }
    }
    elsewhere.keySet().forEach(element -> known.put(element, ELSEWHERE));
    int[] found = new int[elements.size()];
    for (int i = 0; i < found.length; i++) {
      Integer file = known.get(elements.get(i));
      found[i] = file == null ? found[parent(i)] : file;
    }
    return found;
  }

  /** The files. */
  List<ModelSource.File> files() {
    return files;
  }

  /** Number of the file that an element is in, or {@link #ELSEWHERE}. */
  int file(int index) {
    return fileOf == null ? 0 : fileOf[index];
  }

  /** Number of an element; -1 if it is not of this model. */
  int indexOf(EObject element) {
    return indices.getIfAbsent(element, -1);
  }

  /** Path of the file whose topmost element is meant by one that was not read. */
  String elsewhere(int index) {
    return elsewhere.get(elements.get(index));
  }

  /** Number of elements, roots and those that were not read included. */
  int size() {
    return elements.size();
  }

  EObject element(int index) {
    return elements.get(index);
  }

  /** Number of the element's container, -1 for the root. */
  int parent(int index) {
    EObject container = elements.get(index).eContainer();
    return container == null ? -1 : indices.getIfAbsent(container, -1);
  }

  /** The attributes that are set, as the graph stores them, and the {@code xmi:id} if any. */
  Map<String, Object> attributes(int index) {
    EObject element = elements.get(index);
    Map<String, Object> values = new LinkedHashMap<>();
    for (EAttribute attribute : features(element).attributes()) {
      if (element.eIsSet(attribute)) {
        Object value = Values.stored(attribute, element.eGet(attribute));
        if (value != null) {
          values.put(attribute.getName(), value);
        }
      }
    }
    String id = resource == null ? null : resource.getID(element);
    if (id != null) {
      values.put(Layout.XMI_ID, id);
    }
    return values;
  }

  /** The references of an element's class. */
  List<EReference> references(int index) {
    return features(elements.get(index)).references();
  }

  private Features features(EObject element) {
    return features.computeIfAbsent(
        element.eClass(),
        eClass -> new Features(eClass.getEAllAttributes(), eClass.getEAllReferences()));
  }

  /** Numbers of the elements that a reference leads to; targets outside the model are left out. */
  int[] targets(int index, EReference reference) {
    EObject element = elements.get(index);
    if (!element.eIsSet(reference)) {
      return NOTHING;
    }
    Object value = element.eGet(reference);
    if (!(value instanceof List<?> list)) {
      int target = indices.getIfAbsent(value, -1);
      return target < 0 ? NOTHING : new int[] {target};
    }
    int[] targets = new int[list.size()];
    int found = 0;
    for (Object each : list) {
      int target = indices.getIfAbsent(each, -1);
      if (target >= 0) {
        targets[found++] = target;
      }
    }
    return found == targets.length ? targets : Arrays.copyOf(targets, found);
  }
}
