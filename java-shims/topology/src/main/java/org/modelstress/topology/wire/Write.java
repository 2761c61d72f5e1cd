package org.modelstress.topology.wire;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;

/**
 * One object that a transaction writes.
 *
 * @param kind what is done
 * @param type code of its type
 * @param oid its identifier
 * @param domain code of the domain that it belongs to
 * @param stores numbers of the stores that have it
 * @param values by place: new ones of {@code changed} attributes, amounts of {@code added} ones
 * @param changed bit set of the places of attributes that get a value
 * @param added bit set of the places of attributes that grow by an amount (delta writes)
 * @param version that the object must have; -1: any, if it is there (existence check)
 * @param predicates that must hold of it before it is written
 */
public record Write(
    Kind kind,
    int type,
    long oid,
    int domain,
    int[] stores,
    Object[] values,
    long changed,
    long added,
    int version,
    ArrayList<Predicate> predicates)
    implements Serializable {
  /** Attributes of a type at most: bit sets are of 64 bits. */
  public static final int MOST_ATTRIBUTES = 64;

  /** Version of a write that is right whatever the object's version. */
  public static final int ANY_VERSION = -1;

  /** What is done to an object. */
  public enum Kind {
    /** It is new. */
    INSERT,
    /** Some of its attributes change. */
    UPDATE,
    /** It goes. */
    DELETE
  }

  /** The same in some of its stores only. */
  public Write in(int... some) {
    return new Write(kind, type, oid, domain, some, values, changed, added, version, predicates);
  }

  /** Numbers of the stores that some writes are in. */
  public static int[] storesOf(Collection<Write> writes) {
    return writes.stream()
        .flatMapToInt(write -> Arrays.stream(write.stores()))
        .distinct()
        .sorted()
        .toArray();
  }
}
