package org.modelstress.cdo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.cdo.common.id.CDOIDUtil;
import org.eclipse.emf.cdo.net4j.CDONet4jSessionConfiguration;
import org.eclipse.emf.cdo.net4j.CDONet4jUtil;
import org.eclipse.emf.cdo.util.CDOUtil;
import org.eclipse.emf.cdo.view.CDOView;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.eclipse.net4j.jvm.JVMUtil;
import org.eclipse.net4j.util.ref.ReferenceType;
import org.modelstress.models.ElementIndex;

/** A loaded repository, read through an ordinary CDO session. */
final class StoredModel implements AutoCloseable {
  final ElementIndex elements;
  private final CdoRepository repository;

  /** Reads all of the database in this folder. */
  StoredModel(Path folder) throws Exception {
    repository = new CdoRepository(folder, ServerOptions.of(Map.of()));
    JVMUtil.getAcceptor(repository.container(), "read");
    CDONet4jSessionConfiguration configuration = CDONet4jUtil.createNet4jSessionConfiguration();
    configuration.setConnector(JVMUtil.getConnector(repository.container(), "read"));
    configuration.setRepositoryName(CdoRepository.NAME);
    CDOView view = configuration.openNet4jSession().openView();
    view.options().setCacheReferenceType(ReferenceType.STRONG);
    elements = new ElementIndex(view.getResource("/model").getContents());
  }

  /** CDO's identifier of an element. */
  long id(int index) {
    return CDOIDUtil.getLong(CDOUtil.getCDOObject(elements.element(index)).cdoID());
  }

  /**
   * Every element's class, container and features as lines of text, equal exactly when the contents
   * are; but lists that CDO's loader fills from their other end are sorted.
   */
  static List<String> image(ElementIndex elements) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < elements.size(); i++) {
      EObject element = elements.element(i);
      String place =
          element.eContainer() == null
              ? "at the top"
              : "in #"
                  + elements.indexOf(element.eContainer())
                  + "."
                  + element.eContainmentFeature().getName();
      String type = element.eClass().getEPackage().getNsURI() + "#" + element.eClass().getName();
      lines.add("#" + i + " " + type + " " + place);
      for (EStructuralFeature feature : element.eClass().getEAllStructuralFeatures()) {
        String set = isSet(element, feature) ? " set" : " unset";
        lines.add("  " + feature.getName() + set + " = " + value(element, feature, elements));
      }
    }
    return lines;
  }

  /** CDO calls references to the container unset, whatever they hold. */
  private static boolean isSet(EObject element, EStructuralFeature feature) {
    return feature instanceof EReference reference && reference.isContainer()
        || element.eIsSet(feature);
  }

  private static String value(EObject element, EStructuralFeature feature, ElementIndex elements) {
    Object value = element.eGet(feature);
    List<String> texts = new ArrayList<>();
    for (Object each : value instanceof List<?> list ? list : Collections.singletonList(value)) {
      if (each == null) {
        texts.add("null");
      } else if (feature instanceof EReference) {
        texts.add("#" + elements.indexOf((EObject) each));
      } else {
        String text = EcoreUtil.convertToString(((EAttribute) feature).getEAttributeType(), each);
        texts.add(text + ":" + each.getClass().getSimpleName());
      }
    }
    if (feature instanceof EReference reference
        && reference.getEOpposite() != null
        && !reference.isContainment()) {
      Collections.sort(texts);
    }
    return texts.toString();
  }

  @Override
  public void close() {
    repository.close();
  }
}
