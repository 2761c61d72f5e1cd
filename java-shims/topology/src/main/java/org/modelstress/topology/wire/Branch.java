package org.modelstress.topology.wire;

import java.io.Serializable;
import java.util.Arrays;
import javax.transaction.xa.Xid;

/**
 * A branch of a distributed transaction, as X/Open XA names it.
 *
 * @param format identifier of the format
 * @param global identifier of the transaction, at most 64 bytes
 * @param qualifier of the branch, at most 64 bytes
 */
public record Branch(int format, byte[] global, byte[] qualifier) implements Xid, Serializable {
  /** The same as a branch of this class. */
  public static Branch of(Xid xid) {
    return new Branch(xid.getFormatId(), xid.getGlobalTransactionId(), xid.getBranchQualifier());
  }

  @Override
  public int getFormatId() {
    return format;
  }

  @Override
  public byte[] getGlobalTransactionId() {
    return global;
  }

  @Override
  public byte[] getBranchQualifier() {
    return qualifier;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Branch branch
        && format == branch.format
        && Arrays.equals(global, branch.global)
        && Arrays.equals(qualifier, branch.qualifier);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * format + Arrays.hashCode(global)) + Arrays.hashCode(qualifier);
  }
}
