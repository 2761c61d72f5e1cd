package org.modelstress.topology.xa;

/** Moments of a two-phase commit of two branches at which something is killed. */
enum CrashPoint {
  /** Nobody knows of the transaction but its coordinator. */
  BEFORE_PREPARE,
  /** One branch is prepared. */
  BETWEEN_PREPARES,
  /** Both are prepared, and the decision is in the log. */
  AFTER_DECISION,
  /** One branch is committed. */
  BETWEEN_COMMITS
}
