package org.modelstress.queries;

/** A query ended because it was cancelled. */
public final class QueryCancelledException extends Exception {
  private static final long serialVersionUID = 1L;

  public QueryCancelledException() {
    super("the query was cancelled");
  }
}
