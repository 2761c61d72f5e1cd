package org.modelstress.hawk.graph;

/** The database below the index failed; the message is one sentence for a person. */
public class GraphException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public GraphException(String message, Throwable cause) {
    super(message, cause);
  }
}
