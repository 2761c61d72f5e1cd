package org.modelstress.topology.wire;

import java.io.Serializable;
import java.util.ArrayList;

/** What one process asks another one for. */
public sealed interface Request extends Serializable {
  /**
   * Objects by a query. The reply is {@link Reply.Objects}, in the query's order.
   *
   * @param query its text
   * @param parameters of its question marks
   * @param targets where results may be
   */
  record Find(String query, ArrayList<Object> parameters, ArrayList<Target> targets)
      implements Request {}

  /**
   * Objects by their identifiers. The reply is {@link Reply.Objects}, those that are there.
   *
   * @param type code of their type
   * @param oids their identifiers
   * @param freshMillis how long ago they may have been read from their store; 0: now
   * @param targets where they may be
   */
  record Fetch(int type, long[] oids, long freshMillis, ArrayList<Target> targets)
      implements Request {}

  /**
   * To end a transaction, whose coordination goes to whoever gets this. The reply is {@link
   * Reply.Ended}.
   *
   * @param writes of the transaction, in the order of their types and identifiers
   */
  record Commit(ArrayList<Write> writes) implements Request {}

  /**
   * To prepare a part of a transaction that the sender coordinates. The reply is {@link
   * Reply.Ended}: committed means that it will be, if the coordinator says so.
   *
   * @param branch of the transaction
   * @param writes of this part
   */
  record Prepare(Branch branch, ArrayList<Write> writes) implements Request {}

  /**
   * What became of a prepared part. The reply is {@link Reply.Done}, also where nobody knows the
   * part any more.
   *
   * @param branch of the transaction
   * @param stores numbers of the stores that were written
   * @param commit false: rolled back
   */
  record Finish(Branch branch, int[] stores, boolean commit) implements Request {}

  /**
   * Which prepared parts of some coordinator's transactions wait for an end. The reply is {@link
   * Reply.Branches}.
   *
   * @param stores numbers of the stores that are looked at
   */
  record InDoubt(int[] stores) implements Request {}
}
