package org.modelstress.topology.data;

import java.io.Serializable;

/**
 * What an object was when it was read; never changed.
 *
 * @param type code of its type
 * @param oid its identifier
 * @param version how often it was written
 * @param store number of the store that it was read from
 * @param values of its attributes, in their order; not to be changed
 */
public record ObjectState(int type, long oid, int version, int store, Object[] values)
    implements Serializable {
  /** The value of an attribute. */
  public Object value(int place) {
    return values[place];
  }

  @Override
  public String toString() {
    return "object " + Long.toHexString(oid) + " of type " + type + ", version " + version;
  }
}
