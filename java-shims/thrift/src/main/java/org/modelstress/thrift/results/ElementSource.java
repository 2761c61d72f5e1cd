package org.modelstress.thrift.results;

import java.util.List;
import java.util.function.Function;
import org.modelstress.hawk.api.QueryResult;
import org.modelstress.hawk.api.SlotValue;

/**
 * What a store tells of its elements while one answer is made.
 *
 * @param <E> an element; equal ones are the same element
 * @param <T> a class of elements; equal ones are the same class
 */
public interface ElementSource<E, T> {
  /** A value of a result as an element; null if it is something else. */
  E element(Object value);

  /** The store's identifier of an element. */
  String id(E element);

  /** An element's own class. */
  T type(E element);

  /** URI of a class's metamodel. */
  String metamodel(T type);

  /** Simple name of a class. */
  String name(T type);

  /** What an element of a class may have, its superclasses' included, in the order of sending. */
  List<Feature<E>> features(T type);

  /** The file that an element was read from; null if the store does not know. */
  FileName file(E element);

  /** Whether file and class go with an element of which only the identifier is asked for. */
  boolean describesIdentifiers();

  /** A value that is neither of an element, a collection, a map, a Boolean, a number, nor text. */
  QueryResult other(Object value);

  /** A map's key, as text. */
  String key(Object key);

  /** A feature of a class. */
  sealed interface Feature<E> {
    String name();
  }

  /**
   * An attribute.
   *
   * @param derived whether the store computes it
   * @param value of an element, null if it has none
   */
  record Attribute<E>(String name, boolean derived, Function<E, SlotValue> value)
      implements Feature<E> {}

  /**
   * A reference.
   *
   * @param containment whether the element contains its targets
   * @param targets of an element, in order
   */
  record Reference<E>(String name, boolean containment, Function<E, List<E>> targets)
      implements Feature<E> {}
}
