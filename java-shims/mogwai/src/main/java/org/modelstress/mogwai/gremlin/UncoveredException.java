package org.modelstress.mogwai.gremlin;

/** A construct that the compiler does not translate. */
final class UncoveredException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int offset;

  UncoveredException(String construct, int offset) {
    super(construct);
    this.offset = offset;
  }

  /** Where it stands in the text. */
  int offset() {
    return offset;
  }
}
