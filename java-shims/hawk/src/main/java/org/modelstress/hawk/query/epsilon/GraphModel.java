package org.modelstress.hawk.query.epsilon;

import java.util.Collection;
import org.eclipse.epsilon.eol.exceptions.EolRuntimeException;
import org.eclipse.epsilon.eol.exceptions.models.EolEnumerationValueNotFoundException;
import org.eclipse.epsilon.eol.exceptions.models.EolModelElementTypeNotFoundException;
import org.eclipse.epsilon.eol.exceptions.models.EolNotInstantiableModelElementTypeException;
import org.eclipse.epsilon.eol.execute.introspection.IPropertyGetter;
import org.eclipse.epsilon.eol.execute.introspection.IPropertySetter;
import org.eclipse.epsilon.eol.models.Model;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.query.Element;
import org.modelstress.hawk.query.GraphAccess;
import org.modelstress.hawk.query.TypeNames;

/** The graph as a model of Epsilon, read only. For one evaluation at a time. */
final class GraphModel extends Model {
  private final TypeNames names;
  private final Extents extents;
  private GraphAccess graph;

  GraphModel(TypeNames names, Extents extents) {
    this.names = names;
    this.extents = extents;
    setName("");
  }

  /** What the evaluation that begins reads. */
  void use(GraphAccess access) {
    graph = access;
  }

  TypeNames names() {
    return names;
  }

  GraphAccess graph() {
    return graph;
  }

  private Catalog.Type type(String name) throws EolModelElementTypeNotFoundException {
    Catalog.Type type = names.type(name);
    if (type == null) {
      throw new EolModelElementTypeNotFoundException(getName(), name);
    }
    return type;
  }

  @Override
  public boolean hasType(String name) {
    return names.type(name) != null;
  }

  @Override
  public Collection<?> getAllOfKind(String name) throws EolModelElementTypeNotFoundException {
    return extents.of(graph, type(name), false);
  }

  @Override
  public Collection<?> getAllOfType(String name) throws EolModelElementTypeNotFoundException {
    return extents.of(graph, type(name), true);
  }

  @Override
  public Collection<?> allContents() {
    return Elements.fresh(graph.everything());
  }

  @Override
  public boolean isOfKind(Object instance, String name)
      throws EolModelElementTypeNotFoundException {
    Catalog.Type type = type(name);
    return instance instanceof Element element && graph.isKindOf(element.node(), type);
  }

  @Override
  public boolean isOfType(Object instance, String name)
      throws EolModelElementTypeNotFoundException {
    Catalog.Type type = type(name);
    return instance instanceof Element element && graph.typeOf(element.node()) == type;
  }

  @Override
  public boolean owns(Object instance) {
    return instance instanceof Element;
  }

  @Override
  public Object getTypeOf(Object instance) {
    return instance instanceof Element element ? graph.typeOf(element.node()) : null;
  }

  @Override
  public String getTypeNameOf(Object instance) {
    return instance instanceof Element element
        ? graph.typeOf(element.node()).name()
        : instance.getClass().getSimpleName();
  }

  @Override
  public Object getEnumerationValue(String enumeration, String label)
      throws EolEnumerationValueNotFoundException {
    String literal = names.literal(enumeration, label);
    if (literal == null) {
      throw new EolEnumerationValueNotFoundException(enumeration, label, getName());
    }
    return literal;
  }

  @Override
  public IPropertyGetter getPropertyGetter() {
    return (object, property, context) -> get((Element) object, property);
  }

  private Object get(Element element, String property) throws EolRuntimeException {
    Catalog.Feature feature = graph.feature(element.node(), property);
    if (feature != null) {
      return Elements.mutable(graph.get(element.node(), feature));
    }
    if (property.startsWith(GraphAccess.REVERSE)) {
      String reference = property.substring(GraphAccess.REVERSE.length());
      if (graph.tokens().labels(reference).length > 0) {
        return Elements.fresh(graph.sources(element.node(), reference));
      }
    }
    if (property.equals(GraphAccess.CONTAINER)) {
      return Elements.one(graph.container(element.node()));
    }
    if (property.equals(GraphAccess.CONTENTS)) {
      return Elements.fresh(graph.contents(element.node()));
    }
    throw new EolRuntimeException(
        "The type " + getTypeNameOf(element) + " has no property '" + property + "'");
  }

  @Override
  public IPropertySetter getPropertySetter() {
    return (object, property, value, context) -> {
      throw new EolRuntimeException("The model is read only: '" + property + "' cannot be set");
    };
  }

  @Override
  public Object createInstance(String type) throws EolNotInstantiableModelElementTypeException {
    throw new EolNotInstantiableModelElementTypeException(getName(), type);
  }

  @Override
  public boolean isInstantiable(String type) {
    return false;
  }

  @Override
  public void deleteElement(Object instance) throws EolRuntimeException {
    throw new EolRuntimeException("The model is read only: elements cannot be deleted");
  }

  @Override
  public Object getElementById(String id) {
    return null;
  }

  @Override
  public String getElementId(Object instance) {
    return instance instanceof Element element ? graph.idText(element.node()) : null;
  }

  @Override
  public void setElementId(Object instance, String id) {
    throw new UnsupportedOperationException("The model is read only");
  }

  @Override
  public void load() {
    // there is nothing to load
  }

  @Override
  public boolean store(String location) {
    return false;
  }

  @Override
  public boolean store() {
    return false;
  }
}
