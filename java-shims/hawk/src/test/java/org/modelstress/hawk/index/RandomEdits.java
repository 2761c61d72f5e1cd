package org.modelstress.hawk.index;

import static org.modelstress.hawk.index.TrainFixture.all;
import static org.modelstress.hawk.index.TrainFixture.create;
import static org.modelstress.hawk.index.TrainFixture.list;
import static org.modelstress.hawk.index.TrainFixture.set;

import java.util.Iterator;
import java.util.List;
import java.util.Random;
import org.eclipse.emf.common.util.EList;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EEnum;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.util.EcoreUtil;

/** Edits a Train model at random, within what its metamodel and a file allow. */
final class RandomEdits {
  private static final String[] TYPES = {
    "Route", "Region", "Sensor", "Segment", "Switch", "SwitchPosition", "Semaphore"
  };

  private final EObject root;
  private final Random random;
  private final boolean named;
  private int lastId = 1_000_000;

  /**
   * Edits of one model.
   *
   * @param named whether new elements get an id
   */
  RandomEdits(EObject root, long seed, boolean named) {
    this.root = root;
    this.random = new Random(seed);
    this.named = named;
  }

  /** Takes the id of every element away. */
  static void removeIds(EObject root) {
    for (Iterator<EObject> each = root.eAllContents(); each.hasNext(); ) {
      EObject element = each.next();
      element.eUnset(element.eClass().getEIDAttribute());
    }
  }

  /** One edit; says what it was. */
  String edit() {
    String type = TYPES[random.nextInt(TYPES.length)];
    EObject element = any(type);
    switch (random.nextInt(9)) {
      case 0, 1:
        return element == null ? "nothing" : changeAttribute(element);
      case 2:
        return element == null ? "nothing" : remove(element);
      case 3, 4:
        return add(type);
      case 5, 6:
        return element == null ? "nothing" : changeReference(element);
      case 7:
        return element == null ? "nothing" : move(element);
      default:
        return element == null ? "nothing" : reorder(element);
    }
  }

  private EObject any(String type) {
    List<EObject> found = all(root, type);
    return found.isEmpty() ? null : found.get(random.nextInt(found.size()));
  }

  private String changeAttribute(EObject element) {
    List<EAttribute> attributes = element.eClass().getEAllAttributes();
    EAttribute attribute = attributes.get(random.nextInt(attributes.size()));
    if (attribute.isID()) {
      return named && random.nextInt(4) == 0 ? changeId(element) : "nothing";
    }
    if (random.nextInt(4) == 0) {
      element.eUnset(attribute);
    } else if (attribute.getEAttributeType() instanceof EEnum literals) {
      int ordinal = random.nextInt(literals.getELiterals().size());
      element.eSet(attribute, literals.getELiterals().get(ordinal));
    } else if (attribute.getEAttributeType().getInstanceClass() == boolean.class) {
      element.eSet(attribute, random.nextBoolean());
    } else {
      element.eSet(attribute, random.nextInt(2000) - 1000);
    }
    return "attribute " + attribute.getName();
  }

  private String changeId(EObject element) {
    set(element, "id", ++lastId);
    return "id";
  }

  private String remove(EObject element) {
    if (element.eContents().size() > 200) {
      return "nothing"; // a region goes now and then, not always
    }
    EcoreUtil.delete(element, true);
    return "remove " + element.eClass().getName();
  }

  private String add(String type) {
    EObject element = create(type);
    EObject container = container(type);
    if (container == null) {
      return "nothing";
    }
    if (named) {
      set(element, "id", ++lastId);
    }
    List<EObject> role = list(container, role(type));
    role.add(random.nextInt(role.size() + 1), element);
    for (int i = 0; i < 3; i++) {
      changeAttribute(element);
      changeReference(element);
    }
    return "add " + type;
  }

  private EObject container(String type) {
    return switch (type) {
      case "Route", "Region" -> root;
      case "Semaphore" -> any("Segment");
      case "SwitchPosition" -> any("Route");
      default -> any("Region");
    };
  }

  private static String role(String type) {
    return switch (type) {
      case "Route" -> "routes";
      case "Region" -> "regions";
      case "Semaphore" -> "semaphores";
      case "SwitchPosition" -> "follows";
      case "Sensor" -> "sensors";
      default -> "elements";
    };
  }

  private String changeReference(EObject element) {
    List<EReference> references =
        element.eClass().getEAllReferences().stream()
            .filter(r -> !r.isContainment() && !r.isContainer())
            .toList();
    if (references.isEmpty()) {
      return "nothing";
    }
    EReference reference = references.get(random.nextInt(references.size()));
    EObject target = any(reference.getEReferenceType().getName());
    if (!reference.isMany()) {
      element.eSet(reference, random.nextInt(4) == 0 ? null : target);
    } else {
      List<EObject> targets = list(element, reference.getName());
      if (!targets.isEmpty() && random.nextBoolean()) {
        targets.remove(random.nextInt(targets.size()));
      } else if (target != null && !targets.contains(target)) {
        targets.add(random.nextInt(targets.size() + 1), target);
      }
    }
    return "reference " + reference.getName();
  }

  private String move(EObject element) {
    String type = element.eClass().getName();
    EObject container = container(type);
    list(container, role(type)).add(element);
    return "move " + type;
  }

  private String reorder(EObject element) {
    String type = element.eClass().getName();
    var siblings = (EList<EObject>) list(element.eContainer(), role(type));
    siblings.move(random.nextInt(siblings.size()), element);
    return "reorder " + type;
  }
}
