package org.modelstress.hawk.query.compiled;

import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.epsilon.eol.dom.CollectionLiteralExpression;
import org.eclipse.epsilon.eol.types.EolCollection;
import org.eclipse.epsilon.eol.types.EolCollectionType;
import org.eclipse.epsilon.eol.types.EolMap;
import org.modelstress.hawk.query.Element;
import org.modelstress.hawk.query.NodeList;

/** Methods of collections, maps and elements. */
final class Calls {
  private Calls() {}

  static Collection<?> collection(Object value) {
    if (value instanceof Collection<?> collection) {
      return collection;
    }
    throw Bailout.INSTANCE;
  }

  /** {@code isEmpty}, {@code notEmpty}. */
  static final class IsEmpty extends Values.Condition {
    private final Node target;
    private final boolean expected;

    IsEmpty(Node target, boolean expected) {
      this.target = target;
      this.expected = expected;
    }

    @Override
    boolean test(Frame frame) {
      boolean empty =
          target instanceof Properties.ElementList list
              ? list.isEmpty(frame)
              : collection(target.eval(frame)).isEmpty();
      return empty == expected;
    }
  }

  /** {@code isDefined}, {@code isUndefined}. */
  static final class IsDefined extends Values.Condition {
    private final Node target;
    private final boolean expected;

    IsDefined(Node target, boolean expected) {
      this.target = target;
      this.expected = expected;
    }

    @Override
    boolean test(Frame frame) {
      return isDefined(frame) == expected;
    }

    private boolean isDefined(Frame frame) {
      if (target instanceof Properties.OneReference reference) {
        return reference.isSet(frame);
      }
      Object value = target.eval(frame);
      return value instanceof String text ? !text.isEmpty() : value != null;
    }
  }

  /** {@code includes}, {@code excludes}. */
  static final class Includes extends Values.Condition {
    private final Node target;
    private final Node part;
    private final boolean expected;

    Includes(Node target, Node part, boolean expected) {
      this.target = target;
      this.part = part;
      this.expected = expected;
    }

    @Override
    boolean test(Frame frame) {
      if (target instanceof Properties.ElementList list) {
        LongArrayList nodes = list.nodes(frame);
        Object value = part.eval(frame);
        boolean found = value instanceof Element element && nodes.contains(element.node());
        return found == expected;
      }
      Collection<?> in = collection(target.eval(frame));
      return in.contains(comparable(part.eval(frame))) == expected;
    }
  }

  /** Lists of ours and of Epsilon are not equal to each other alike. */
  private static Object comparable(Object value) {
    if (value instanceof Collection) {
      throw Bailout.INSTANCE;
    }
    return value;
  }

  static final class Size extends Node {
    private final Node target;

    Size(Node target) {
      this.target = target;
    }

    @Override
    Object eval(Frame frame) {
      if (target instanceof Properties.ElementList list) {
        return list.nodes(frame).size();
      }
      return collection(target.eval(frame)).size();
    }
  }

  /** {@code first}, {@code last}. */
  static final class Nth extends Node {
    private final Node target;
    private final boolean last;

    Nth(Node target, boolean last) {
      this.target = target;
      this.last = last;
    }

    @Override
    Object eval(Frame frame) {
      Collection<?> in = collection(target.eval(frame));
      if (in.isEmpty()) {
        return null;
      }
      if (in instanceof List<?> list) {
        return list.get(last ? list.size() - 1 : 0);
      }
      Iterator<?> all = in.iterator();
      Object found = all.next();
      while (last && all.hasNext()) {
        found = all.next();
      }
      return found;
    }

    @Override
    Shape shape() {
      return Shape.one(target.shape().content());
    }
  }

  /** {@code asSet} and the like. */
  static final class Copy extends Node {
    private final Node target;
    private final Supplier<Collection<Object>> make;

    Copy(Node target, Supplier<Collection<Object>> make) {
      this.target = target;
      this.make = make;
    }

    @Override
    Object eval(Frame frame) {
      Collection<?> in = collection(target.eval(frame));
      Collection<Object> copy = make.get();
      copy.addAll(in);
      return copy;
    }

    @Override
    Shape shape() {
      return Shape.many(target.shape().content());
    }
  }

  static final class ExcludingAll extends Node {
    private final Node target;
    private final Node without;

    ExcludingAll(Node target, Node without) {
      this.target = target;
      this.without = without;
    }

    @Override
    Object eval(Frame frame) {
      Collection<?> in = collection(target.eval(frame));
      Collection<?> out = collection(without.eval(frame));
      if (in instanceof NodeList a && out instanceof NodeList b) {
        return new NodeList(a.nodes().reject(b.nodes()::contains));
      }
      Collection<Object> rest = same(in);
      for (Object each : in) {
        if (!out.contains(comparable(each))) {
          rest.add(each);
        }
      }
      return rest;
    }

    @Override
    Shape shape() {
      return Shape.many(target.shape().content());
    }
  }

  /** An empty collection by the name of its kind. */
  static Collection<Object> empty(String kind) {
    return CollectionLiteralExpression.createCollection(kind);
  }

  /** An empty collection of the same kind. */
  @SuppressWarnings("unchecked")
  static Collection<Object> same(Collection<?> like) {
    Collection<Object> made = EolCollectionType.createSameType((Collection<Object>) like);
    if (made == null) {
      throw Bailout.INSTANCE;
    }
    return made;
  }

  /** {@code collection.add(part)}. */
  static final class Add extends Node {
    private final Node target;
    private final Node part;

    Add(Node target, Node part) {
      this.target = target;
      this.part = part;
    }

    @Override
    @SuppressWarnings("unchecked")
    Object eval(Frame frame) {
      Object to = target.eval(frame);
      Object value = part.eval(frame);
      if (to instanceof EolCollection && value != null) {
        return ((EolCollection<Object>) to).add(value);
      }
      throw Bailout.INSTANCE;
    }
  }

  /** {@code map.put(key, value)}. */
  static final class Put extends Node {
    private final Node target;
    private final Node key;
    private final Node value;

    Put(Node target, Node key, Node value) {
      this.target = target;
      this.key = key;
      this.value = value;
    }

    @Override
    @SuppressWarnings("unchecked")
    Object eval(Frame frame) {
      Object to = target.eval(frame);
      Object k = comparable(key.eval(frame));
      Object v = value.eval(frame);
      if (to instanceof EolMap && k != null && v != null) {
        return ((EolMap<Object, Object>) to).put(k, v);
      }
      throw Bailout.INSTANCE;
    }
  }

  /** {@code map.get(key)}. */
  static final class Get extends Node {
    private final Node target;
    private final Node key;

    Get(Node target, Node key) {
      this.target = target;
      this.key = key;
    }

    @Override
    Object eval(Frame frame) {
      Object from = target.eval(frame);
      Object k = comparable(key.eval(frame));
      if (from instanceof Map<?, ?> map && k != null) {
        return map.get(k);
      }
      throw Bailout.INSTANCE;
    }
  }
}
