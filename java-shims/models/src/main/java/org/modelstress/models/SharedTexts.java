package org.modelstress.models;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import org.eclipse.emf.common.util.URI;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.resource.Resource;
import org.eclipse.emf.ecore.resource.impl.BinaryResourceImpl;
import org.eclipse.emf.ecore.xmi.XMLHelper;
import org.eclipse.emf.ecore.xmi.impl.XMIResourceImpl;

/**
 * Resources that read equal texts as one object. The same few names stand in a model of Java
 * sources millions of times, and EMF makes a new string of each.
 */
final class SharedTexts {
  private Map<String, String> texts = new HashMap<>();

  private String share(String text) {
    String known = text == null ? null : texts.putIfAbsent(text, text);
    return known == null ? text : known;
  }

  /** Lets go of them; the resources live as long as the model. */
  void forget() {
    texts = new HashMap<>();
  }

  /** A resource in EMF's binary format. */
  Resource binary(URI uri) {
    return new BinaryResourceImpl(uri) {
      @Override
      protected EObjectInputStream createEObjectInputStream(InputStream in, Map<?, ?> options)
          throws IOException {
        return new EObjectInputStream(in, options) {
          @Override
          protected EStructuralFeatureData getEStructuralFeatureData(EClassData owner, int index)
              throws IOException {
            boolean isNew = owner.eStructuralFeatureData[index] == null;
            EStructuralFeatureData data = super.getEStructuralFeatureData(owner, index);
            String problem = isNew ? DataTypes.problem(data.eStructuralFeature) : null;
            if (problem != null) {
              throw new LoadProblem.RefusedException(problem);
            }
            return data;
          }

          @Override
          public String readString() throws IOException {
            return share(super.readString());
          }

          @Override
          public String readSegmentedString() throws IOException {
            return share(super.readSegmentedString());
          }
        };
      }
    };
  }

  /** A resource in XMI. */
  XMIResourceImpl xmi(URI uri) {
    return new GuardedXmi(uri) {
      @Override
      protected XMLHelper createXMLHelper() {
        return new GuardedXmi.Helper(this) {
          @Override
          public void setValue(
              EObject element, EStructuralFeature feature, Object value, int position) {
            Object shared = value instanceof String text ? share(text) : value;
            super.setValue(element, feature, shared, position);
          }
        };
      }
    };
  }
}
