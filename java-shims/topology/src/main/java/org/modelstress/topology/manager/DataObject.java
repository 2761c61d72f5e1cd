package org.modelstress.topology.manager;

import java.util.ArrayList;
import org.modelstress.topology.data.ObjectState;
import org.modelstress.topology.schema.Attribute;
import org.modelstress.topology.schema.ObjectType;
import org.modelstress.topology.schema.ValueType;
import org.modelstress.topology.wire.Predicate;
import org.modelstress.topology.wire.Write;

/**
 * An object as a transaction sees it. Applications use the typed interfaces that are generated of
 * the configuration, which are backed by these.
 *
 * <p>A write is checked by the object's version, unless the application says what it needs: that
 * the object is there ({@link #checkExistence()}), or a predicate ({@link #checkPredicate}). With
 * {@link #add} a number grows by an amount, whatever it is when the transaction ends; together with
 * a predicate this is what Free Data Objects, 6.5.3, calls a field call.
 */
public final class DataObject {
  private final Transaction transaction;
  private final ObjectType type;
  private final boolean isNew;
  private ObjectState read;
  private Object[] values;
  private Object[] amounts;
  private long changed;
  private long added;
  private boolean deleted;
  private boolean anyVersion;
  private ArrayList<Predicate> predicates = new ArrayList<>();

  DataObject(Transaction transaction, ObjectType type, ObjectState read, boolean isNew) {
    this.transaction = transaction;
    this.type = type;
    this.read = read;
    this.values = read.values();
    this.isNew = isNew;
  }

  /** Its type. */
  public ObjectType type() {
    return type;
  }

  /** Its identifier. */
  public long oid() {
    return read.oid();
  }

  /** How often it had been written when it was read. */
  public int version() {
    return read.version();
  }

  /** The value of an attribute. */
  public Object get(int place) {
    usable();
    return values[place];
  }

  /**
   * The object that a reference leads to; null where it is null, or the object is not there.
   *
   * @throws TransactionException where it cannot be read
   */
  public DataObject follow(int place) throws TransactionException {
    Object oid = get(place);
    if (oid == null) {
      return null;
    }
    String target = type.attribute(place).target();
    return transaction.get(transaction.manager().topology().schema().type(target), (Long) oid);
  }

  /**
   * Gives an attribute a value.
   *
   * @throws IllegalArgumentException where it is of another type
   */
  public void set(int place, Object value) {
    usable();
    Object fitting = type.attribute(place).type().of(value);
    own();
    values[place] = fitting;
    changed |= 1L << place;
    added &= ~(1L << place);
  }

  /** Lets a reference lead to an object; null: to none. */
  public void refer(int place, DataObject object) {
    if (object != null && !object.type.name().equals(type.attribute(place).target())) {
      throw new IllegalArgumentException(
          type + "." + type.attribute(place).name() + " leads to no " + object.type);
    }
    set(place, object == null ? null : object.oid());
  }

  /**
   * Lets a number grow by an amount when the transaction ends, whatever it is then (delta write).
   * Until then it reads as what was read plus the amount.
   */
  public void add(int place, Number amount) {
    usable();
    Attribute attribute = type.attribute(place);
    if (!attribute.type().isNumber()) {
      throw new IllegalArgumentException(type + "." + attribute.name() + " is no number");
    }
    if (values[place] == null || (changed & 1L << place) != 0) {
      set(place, sum(attribute.type(), values[place] == null ? 0 : values[place], amount));
      return;
    }
    own();
    if (amounts == null) {
      amounts = new Object[values.length];
    }
    Object before = amounts[place] == null ? attribute.type().of(0) : amounts[place];
    amounts[place] = sum(attribute.type(), before, amount);
    values[place] = sum(attribute.type(), values[place], amount);
    added |= 1L << place;
  }

  private static Object sum(ValueType type, Object value, Number amount) {
    Number number = (Number) value;
    return type == ValueType.DOUBLE || type == ValueType.FLOAT
        ? type.of(number.doubleValue() + amount.doubleValue())
        : type.of(Math.addExact(number.longValue(), amount.longValue()));
  }

  /** Deletes the object. */
  public void delete() {
    usable();
    deleted = true;
  }

  /** The write is right whatever version the object has, if it is there. */
  public void checkExistence() {
    anyVersion = true;
  }

  /**
   * The write is right if a condition holds of the object as it is then, whatever its version.
   *
   * @param condition in the query language, on the object's attributes
   * @param parameters of its question marks
   */
  public void checkPredicate(String condition, Object... parameters) {
    anyVersion = true;
    predicates.add(Predicate.of(condition, parameters));
  }

  private void own() {
    if (values == read.values()) {
      values = values.clone();
    }
  }

  private void usable() {
    transaction.active();
    if (deleted) {
      throw new IllegalStateException(this + " was deleted in this transaction");
    }
  }

  void readAgain(ObjectState state) {
    read = state;
    values = state.values();
  }

  ObjectState read() {
    return read;
  }

  /** As it is now, for the order of a query. */
  ObjectState state() {
    return values == read.values()
        ? read
        : new ObjectState(type.code(), oid(), version(), read.store(), values);
  }

  Object[] values() {
    return values;
  }

  boolean isNew() {
    return isNew;
  }

  boolean isDeleted() {
    return deleted;
  }

  /** Whether nothing has to be written. */
  boolean isClean() {
    return !isNew && !deleted && changed == 0 && added == 0 && predicates.isEmpty();
  }

  Write write(int domain, int[] stores) {
    Write.Kind kind = isNew ? Write.Kind.INSERT : deleted ? Write.Kind.DELETE : Write.Kind.UPDATE;
    int version = isNew ? 0 : anyVersion ? Write.ANY_VERSION : read.version();
    Object[] sent = new Object[values.length];
    for (int place = 0; place < values.length; place++) {
      long bit = 1L << place;
      if (isNew || (changed & bit) != 0) {
        sent[place] = values[place];
      } else if ((added & bit) != 0) {
        sent[place] = amounts[place];
      }
    }
    return new Write(
        kind,
        type.code(),
        oid(),
        domain,
        stores,
        deleted ? new Object[0] : sent,
        deleted ? 0 : isNew ? type.places() : changed,
        deleted ? 0 : added,
        version,
        predicates);
  }

  @Override
  public String toString() {
    return type.name() + " " + Long.toHexString(oid());
  }
}
