package org.modelstress.models.ocl;

/** A name stands for several references; OCL's parser lets it through, {@link OclParser} not. */
final class AmbiguousNameException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String name;

  AmbiguousNameException(String name, String message) {
    super(message);
    this.name = name;
  }

  String name() {
    return name;
  }
}
