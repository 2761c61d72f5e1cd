package org.modelstress.models;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.emf.ecore.InternalEObject;

/** Looks for what EMF reads without complaint although a part of it is missing or impossible. */
final class ModelCheck {
  private final Map<String, List<EObject>> contents;
  private final Map<String, Path> files;

  /**
   * For files that were read into one resource set.
   *
   * @param contents path to topmost elements
   * @param files path to the file, for messages
   */
  ModelCheck(Map<String, List<EObject>> contents, Map<String, Path> files) {
    this.contents = contents;
    this.files = files;
  }

  /**
   * Checks that every link leads to an element of its type and that containment is a forest.
   *
   * @throws ModelException naming the first file that is wrong
   */
  void check() throws ModelException {
    for (Map.Entry<String, List<EObject>> file : contents.entrySet()) {
      if (file.getValue().isEmpty()) {
        throw wrong(file.getKey(), "has no root element, or its elements contain each other");
      }
      for (EObject topmost : file.getValue()) {
        checkContainers(file.getKey(), topmost);
      }
    }
    for (Map.Entry<String, List<EObject>> file : contents.entrySet()) {
      for (EObject topmost : file.getValue()) {
        checkLinks(file.getKey(), topmost);
      }
    }
    for (Map.Entry<String, List<EObject>> file : contents.entrySet()) {
      for (EObject topmost : file.getValue()) {
        checkContainers(file.getKey(), topmost); // links may have been resolved only now
      }
    }
  }

  private void checkContainers(String path, EObject topmost) throws ModelException {
    Set<EObject> above = Collections.newSetFromMap(new IdentityHashMap<>());
    for (EObject each = topmost;
        each != null;
        each = ((InternalEObject) each).eInternalContainer()) {
      if (!above.add(each)) {
        throw wrong(path, "has elements that contain each other, among them " + name(topmost));
      }
    }
  }

  /** Checks the elements of one file: its trees as far as they do not go on in another file. */
  private void checkLinks(String path, EObject topmost) throws ModelException {
    Deque<EObject> open = new ArrayDeque<>();
    open.add(topmost);
    while (!open.isEmpty()) {
      EObject element = open.removeLast();
      for (EReference reference : element.eClass().getEAllReferences()) {
        // asking an empty list for its elements would create it, for every element of the model
        if (reference.isContainer() || reference.isDerived() || !element.eIsSet(reference)) {
          continue;
        }
        for (Object target : values(element.eGet(reference))) {
          checkLink(path, element, reference, (InternalEObject) target);
          if (reference.isContainment() && ((InternalEObject) target).eDirectResource() == null) {
            open.add((EObject) target);
          }
        }
      }
    }
  }

  private static Collection<?> values(Object value) {
    if (value == null) {
      return List.of(); // set, to nothing
    }
    return value instanceof Collection<?> many ? many : List.of(value);
  }

  private void checkLink(String path, EObject element, EReference reference, InternalEObject target)
      throws ModelException {
    String from = element.eClass().getName() + "." + reference.getName();
    if (target.eIsProxy()) {
      throw wrong(
          path,
          "has a link in "
              + from
              + " to "
              + target.eProxyURI().deresolve(ModelReader.BASE, true, true, false)
              + ", which is not in the model; add that or remove the link");
    }
    if (!accepts(reference.getEReferenceType(), target.eClass())) {
      String type = reference.getEReferenceType().getName();
      throw wrong(path, "has " + name(target) + " in " + from + ", whose type is " + type);
    }
    if (reference.isContainment() && target.eInternalContainer() != element) {
      throw wrong(
          path, "holds in " + from + " " + name(target) + " that is contained elsewhere too");
    }
  }

  /** EMF's dynamic lists take any element. */
  private static boolean accepts(EClass type, EClass given) {
    return type == given || type == EcorePackage.Literals.EOBJECT || type.isSuperTypeOf(given);
  }

  private ModelException wrong(String path, String what) {
    return new ModelException("Model " + files.get(path) + " " + what + ".");
  }

  private static String name(EObject element) {
    return "a " + element.eClass().getName();
  }
}
