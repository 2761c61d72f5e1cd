package org.modelstress.topology.datasets;

/** A dataset is not known or cannot be made; the message is one sentence. */
public class DatasetException extends Exception {
  private static final long serialVersionUID = 1L;

  public DatasetException(String message) {
    super(message);
  }
}
