package org.modelstress.hawk.query.compiled;

import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.query.Element;
import org.modelstress.hawk.query.GraphAccess;
import org.modelstress.hawk.query.NodeList;

/** Properties of elements. */
final class Properties {
  private Properties() {}

  static Element element(long node) {
    return node == GraphReader.NONE ? null : new Element(node);
  }

  /** An attribute that means the same for all elements that can come. */
  static final class Attribute extends Node {
    private final Node target;
    private final Catalog.Attribute attribute;

    Attribute(Node target, Catalog.Attribute attribute) {
      this.target = target;
      this.attribute = attribute;
    }

    @Override
    Object eval(Frame frame) {
      return frame.graph.value(target.element(frame), attribute);
    }
  }

  static final class Derived extends Node {
    private final Node target;
    private final Catalog.Derived derived;

    Derived(Node target, Catalog.Derived derived) {
      this.target = target;
      this.derived = derived;
    }

    @Override
    Object eval(Frame frame) {
      return frame.graph.value(target.element(frame), derived);
    }
  }

  static final class OneReference extends Node {
    private final Node target;
    private final Catalog.Reference reference;
    private final Shape shape;

    OneReference(Node target, Catalog.Reference reference, Shape shape) {
      this.target = target;
      this.reference = reference;
      this.shape = shape;
    }

    @Override
    Object eval(Frame frame) {
      return Properties.element(frame.graph.target(target.element(frame), reference));
    }

    @Override
    long element(Frame frame) {
      long found = frame.graph.target(target.element(frame), reference);
      if (found == GraphReader.NONE) {
        throw Bailout.INSTANCE;
      }
      return found;
    }

    boolean isSet(Frame frame) {
      return frame.graph.target(target.element(frame), reference) != GraphReader.NONE;
    }

    @Override
    Shape shape() {
      return shape;
    }
  }

  /** A property whose value is a list of elements. */
  abstract static class ElementList extends Node {
    abstract LongArrayList nodes(Frame frame);

    boolean isEmpty(Frame frame) {
      return nodes(frame).isEmpty();
    }

    @Override
    final Object eval(Frame frame) {
      return new NodeList(nodes(frame));
    }
  }

  static final class ManyReference extends ElementList {
    private final Node target;
    private final Catalog.Reference reference;
    private final Shape shape;

    ManyReference(Node target, Catalog.Reference reference, Shape shape) {
      this.target = target;
      this.reference = reference;
      this.shape = shape;
    }

    @Override
    LongArrayList nodes(Frame frame) {
      return frame.graph.targets(target.element(frame), reference);
    }

    @Override
    boolean isEmpty(Frame frame) {
      return frame.graph.target(target.element(frame), reference) == GraphReader.NONE;
    }

    @Override
    Shape shape() {
      return shape;
    }
  }

  /** A reference followed backwards. */
  static final class Reverse extends ElementList {
    private final Node target;
    private final String reference;
    private final Shape shape;

    Reverse(Node target, String reference, Shape shape) {
      this.target = target;
      this.reference = reference;
      this.shape = shape;
    }

    @Override
    LongArrayList nodes(Frame frame) {
      return frame.graph.sources(target.element(frame), reference);
    }

    @Override
    Shape shape() {
      return shape;
    }
  }

  static final class Contents extends ElementList {
    private final Node target;

    Contents(Node target) {
      this.target = target;
    }

    @Override
    LongArrayList nodes(Frame frame) {
      return frame.graph.contents(target.element(frame));
    }
  }

  static final class Container extends Node {
    private final Node target;

    Container(Node target) {
      this.target = target;
    }

    @Override
    Object eval(Frame frame) {
      return Properties.element(frame.graph.container(target.element(frame)));
    }
  }

  /** A property of elements whose type is known only when they come. */
  static final class Dynamic extends Node {
    private final Node target;
    private final String name;

    Dynamic(Node target, String name) {
      this.target = target;
      this.name = name;
    }

    @Override
    Object eval(Frame frame) {
      long node = target.element(frame);
      Catalog.Feature feature = frame.graph.feature(node, name);
      if (feature == null) {
        throw Bailout.INSTANCE;
      }
      return frame.graph.get(node, feature);
    }
  }

  /** All elements of a type. */
  static final class Extent extends ElementList {
    final Catalog.Type type;

    Extent(Catalog.Type type) {
      this.type = type;
    }

    @Override
    LongArrayList nodes(Frame frame) {
      return frame.graph.extent(type);
    }

    @Override
    Shape shape() {
      return Shape.many(type);
    }
  }

  static final class KindTest extends Values.Condition {
    private final Node target;
    private final Catalog.Type type;
    private final boolean exact;

    KindTest(Node target, Catalog.Type type, boolean exact) {
      this.target = target;
      this.type = type;
      this.exact = exact;
    }

    @Override
    boolean test(Frame frame) {
      GraphAccess graph = frame.graph;
      long node = target.element(frame);
      return exact ? graph.typeOf(node) == type : graph.isKindOf(node, type);
    }
  }
}
