package org.modelstress.models;

import java.util.Map;
import org.eclipse.emf.common.util.URI;
import org.eclipse.emf.ecore.EDataType;
import org.eclipse.emf.ecore.EFactory;
import org.eclipse.emf.ecore.xmi.XMLHelper;
import org.eclipse.emf.ecore.xmi.XMLLoad;
import org.eclipse.emf.ecore.xmi.XMLResource;
import org.eclipse.emf.ecore.xmi.impl.SAXXMIHandler;
import org.eclipse.emf.ecore.xmi.impl.XMIHelperImpl;
import org.eclipse.emf.ecore.xmi.impl.XMILoadImpl;
import org.eclipse.emf.ecore.xmi.impl.XMIResourceImpl;
import org.xml.sax.Attributes;
import org.xml.sax.SAXException;
import org.xml.sax.helpers.DefaultHandler;

/**
 * XMI from outside: values are made of harmless Java classes only ({@link DataTypes}), and elements
 * are not nested without end, for which EMF takes time by the square of the depth.
 */
public class GuardedXmi extends XMIResourceImpl {
  static final int DEEPEST = 2_000;

  /** An empty resource at an address. */
  public GuardedXmi(URI uri) {
    super(uri);
  }

  @Override
  protected XMLHelper createXMLHelper() {
    return new Helper(this);
  }

  @Override
  protected XMLLoad createXMLLoad() {
    return new Load(createXMLHelper());
  }

  /** Refuses data types before a value is made. */
  static class Helper extends XMIHelperImpl {
    Helper(XMLResource resource) {
      super(resource);
    }

    @Override
    protected Object createFromString(EFactory factory, EDataType type, String text) {
      String problem = DataTypes.problem(type);
      if (problem != null) {
        throw new LoadProblem.RefusedException(problem);
      }
      return super.createFromString(factory, type, text);
    }
  }

  private static final class Load extends XMILoadImpl {
    Load(XMLHelper helper) {
      super(helper);
    }

    @Override
    protected DefaultHandler makeDefaultHandler() {
      return new Handler(resource, helper, options);
    }
  }

  private static final class Handler extends SAXXMIHandler {
    private int depth;

    Handler(XMLResource resource, XMLHelper helper, Map<?, ?> options) {
      super(resource, helper, options);
    }

    @Override
    public void startElement(String uri, String local, String name, Attributes attributes)
        throws SAXException {
      if (++depth > DEEPEST) {
        throw new LoadProblem.RefusedException(
            "has elements nested more than "
                + DEEPEST
                + " deep; nest them less, or use EMF's binary format");
      }
      super.startElement(uri, local, name, attributes);
    }

    @Override
    public void endElement(String uri, String local, String name) {
      depth--;
      super.endElement(uri, local, name);
    }
  }
}
