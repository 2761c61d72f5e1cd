package org.modelstress.mogwai.agreement;

import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.emf.common.util.URI;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.eclipse.emf.ecore.xmi.impl.XMIResourceImpl;
import org.modelstress.mogwai.agreement.Agreement.Verdict;

/** Takes elements out of a model as long as an expression is answered wrongly over it. */
final class ModelShrinker {
  private static final int MOST_TRIES = 60;

  private ModelShrinker() {}

  /** The smallest model found; the given one if it is answered rightly. */
  static EObject shrink(EObject root, Expression expression, Path folder) throws Exception {
    EObject smallest = copyWithout(root, 0);
    int tries = 0;
    for (int i = RandomModels.elements(smallest).size() - 1; i > 0 && tries < MOST_TRIES; i--) {
      if (i < RandomModels.elements(smallest).size()) {
        EObject smaller = copyWithout(smallest, i);
        tries++;
        if (fails(smaller, expression, folder)) {
          smallest = smaller;
        }
      }
    }
    return smallest;
  }

  /** A copy without an element, those it contains and all references to them; 0 leaves all. */
  private static EObject copyWithout(EObject root, int index) {
    EObject copy = EcoreUtil.copy(root);
    new XMIResourceImpl(URI.createURI("memory:/farm.xmi")).getContents().add(copy);
    if (index > 0) {
      EcoreUtil.delete(RandomModels.elements(copy).get(index), true);
    }
    return copy;
  }

  private static boolean fails(EObject root, Expression expression, Path folder) throws Exception {
    Path place = Files.createTempDirectory(folder, "smaller");
    try (Agreement model = new Agreement(root, place)) {
      return model.compare(expression).verdict() == Verdict.DISAGREED;
    }
  }
}
