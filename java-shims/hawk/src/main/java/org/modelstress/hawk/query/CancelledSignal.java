package org.modelstress.hawk.query;

import org.modelstress.queries.QueryCancelledException;

/** Unwinds an evaluation that was cancelled; {@link QueryCancelledException} outside of it. */
public final class CancelledSignal extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final CancelledSignal INSTANCE = new CancelledSignal();

  private CancelledSignal() {
    super("the query was cancelled", null, false, false);
  }

  /** The one there is. */
  public static CancelledSignal instance() {
    return INSTANCE;
  }
}
