package org.modelstress.mogwai.agreement;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import org.eclipse.emf.common.util.URI;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EEnum;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.eclipse.emf.ecore.xmi.impl.XMIResourceImpl;

/** Small random models of {@link Farm}: with cycles, nulls, unset values and empty extents. */
final class RandomModels {
  private static final List<String> STRINGS =
      List.of("", "a", "b", "ab", "Ba", "12", "-3", "2.5", "x y", "äß");
  private static final List<Double> REALS = List.of(-2.0, -0.25, 0.0, 0.5, 1.5, 3.0, 1.0e6);
  private static final List<Long> LONGS = List.of(-1L, 0L, 2L, 2147483647L, 1L << 40);

  private final Random random;
  private final List<EObject> elements = new ArrayList<>();
  private final List<Integer> codes = new ArrayList<>();

  private RandomModels(Random random) {
    this.random = random;
  }

  /**
   * A model in a resource.
   *
   * @param size number of elements, the root included
   */
  static EObject of(Random random, int size) {
    RandomModels model = new RandomModels(random);
    EObject root = EcoreUtil.create(Farm.WORLD);
    model.elements.add(root);
    List<EClass> classes = model.someClasses();
    for (int i = 1; i < size; i++) {
      EObject element = EcoreUtil.create(classes.get(random.nextInt(classes.size())));
      model.place(element);
      model.elements.add(element);
    }
    for (int i = 0; i < size; i++) {
      model.codes.add(i);
    }
    Collections.shuffle(model.codes, random);
    model.elements.forEach(model::fill);
    new XMIResourceImpl(URI.createURI("memory:/farm.xmi")).getContents().add(root);
    return root;
  }

  /** The elements of a model in containment order. */
  static List<EObject> elements(EObject root) {
    List<EObject> elements = new ArrayList<>(List.of(root));
    for (Iterator<EObject> all = root.eAllContents(); all.hasNext(); ) {
      elements.add(all.next());
    }
    return elements;
  }

  /**
   * All but Ghost and, often, one other; of the two Parts only one, because NeoEMF knows classes by
   * their simple names.
   */
  private List<EClass> someClasses() {
    List<EClass> classes =
        new ArrayList<>(
            List.of(
                Farm.CART, Farm.PART, Farm.WHEEL, Farm.WHEEL, Farm.GEAR, Farm.SAMPLE, Farm.PROBE));
    if (random.nextBoolean()) {
      classes.remove(random.nextInt(classes.size()));
    }
    classes.remove(random.nextBoolean() ? Farm.PART : Farm.SAMPLE);
    return classes;
  }

  private void place(EObject element) {
    List<EObject> parents = new ArrayList<>();
    for (EObject each : elements) {
      if (containment(each, element) != null && each.eClass() != Farm.WORLD) {
        parents.add(each);
      }
    }
    boolean inside = !parents.isEmpty() && random.nextInt(3) > 0;
    EObject parent = inside ? parents.get(random.nextInt(parents.size())) : elements.get(0);
    list(parent, containment(parent, element)).add(element);
  }

  private static EReference containment(EObject parent, EObject child) {
    for (EReference reference : parent.eClass().getEAllContainments()) {
      if (reference.getEReferenceType().isInstance(child)) {
        return reference;
      }
    }
    return null;
  }

  private void fill(EObject element) {
    for (EStructuralFeature feature : element.eClass().getEAllStructuralFeatures()) {
      if (feature == Farm.CODE) {
        element.eSet(feature, codes.remove(codes.size() - 1));
        continue;
      }
      if (random.nextInt(4) == 0) {
        continue;
      }
      if (feature instanceof EReference reference) {
        if (!reference.isContainment() && !reference.isContainer()) {
          refer(element, reference);
        }
      } else if (feature.isMany()) {
        for (int i = random.nextInt(4); i > 0; i--) {
          add(list(element, feature), value((EAttribute) feature), feature.isUnique());
        }
      } else {
        element.eSet(feature, value((EAttribute) feature));
      }
    }
  }

  private void refer(EObject element, EReference reference) {
    List<EObject> targets =
        elements.stream().filter(reference.getEReferenceType()::isInstance).toList();
    if (targets.isEmpty()) {
      return;
    }
    if (!reference.isMany()) {
      element.eSet(reference, targets.get(random.nextInt(targets.size())));
      return;
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      EObject target = targets.get(random.nextInt(targets.size()));
      add(list(element, reference), target, reference.isUnique());
    }
  }

  private static void add(List<Object> list, Object value, boolean unique) {
    if (!unique || !list.contains(value)) {
      list.add(value);
    }
  }

  @SuppressWarnings("unchecked") // EMF's lists hold what the feature's type says
  private static List<Object> list(EObject element, EStructuralFeature feature) {
    return (List<Object>) element.eGet(feature);
  }

  private Object value(EAttribute attribute) {
    if (attribute.getEAttributeType() instanceof EEnum colour) {
      return colour.getELiterals().get(random.nextInt(3)).getInstance();
    }
    Class<?> type = attribute.getEAttributeType().getInstanceClass();
    if (type == String.class) {
      return pick(STRINGS);
    }
    if (type == double.class || type == Double.class) {
      return pick(REALS);
    }
    if (type == long.class) {
      return pick(LONGS);
    }
    if (type == boolean.class || type == Boolean.class) {
      return random.nextBoolean();
    }
    return random.nextInt(7) - 2;
  }

  private <T> T pick(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }
}
