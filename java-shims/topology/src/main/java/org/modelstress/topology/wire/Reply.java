package org.modelstress.topology.wire;

import java.io.Serializable;
import java.util.ArrayList;
import org.modelstress.topology.data.ObjectState;

/** What a process answers. */
public sealed interface Reply extends Serializable {
  /** Objects that were asked for. */
  record Objects(ArrayList<ObjectState> objects) implements Reply {}

  /**
   * How a transaction ended.
   *
   * @param end committed, refused for a cause, or unknown
   * @param message for people; empty when committed
   */
  record Ended(End end, String message) implements Reply {
    /** It was committed, or prepared. */
    public static final Ended COMMITTED = new Ended(End.COMMITTED, "");
  }

  /** How a transaction can end. */
  enum End {
    /** All its writes are there, for good. */
    COMMITTED,
    /** An object had another version, or was not there: somebody else wrote it. */
    VERSION,
    /** A predicate did not hold. */
    PREDICATE,
    /** It waited for others that waited for it, or too long. */
    DEADLOCK,
    /** A store or server could not be reached before anything was decided. */
    UNREACHABLE,
    /** It was sent for commit, and nobody heard how it ended. */
    UNKNOWN
  }

  /** Nothing to say. */
  record Done() implements Reply {}

  /** Branches that wait for an end. */
  record Branches(ArrayList<Branch> branches) implements Reply {}

  /**
   * The request could not be answered.
   *
   * @param busy whether another process, or a later time, may do: the queue is full
   * @param message one sentence
   */
  record Failed(boolean busy, String message) implements Reply {}
}
