package org.modelstress.mogwai.gremlin;

/**
 * What ends an evaluation, or a part of it, without being one of OCL's own failures: those are
 * other runtime exceptions and become {@code invalid} where OCL lets them.
 */
abstract class Signal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  Signal(String message, Throwable cause) {
    super(message, cause, false, false);
  }

  /** An element's body made the value of the whole pipeline {@code invalid}. */
  static final class Invalid extends Signal {
    private static final long serialVersionUID = 1L;
    static final Invalid INSTANCE = new Invalid();

    private Invalid() {
      super("invalid", null);
    }
  }

  /** The query was cancelled. */
  static final class Cancelled extends Signal {
    private static final long serialVersionUID = 1L;

    Cancelled() {
      super("cancelled", null);
    }
  }

  /** A value would be too large. */
  static final class TooLarge extends Signal {
    private static final long serialVersionUID = 1L;

    TooLarge(String message) {
      super(message, null);
    }
  }

  /** The graph cannot be read. */
  static final class Store extends Signal {
    private static final long serialVersionUID = 1L;

    Store(Throwable cause) {
      super("the store failed: " + cause, cause);
    }

    Store(String message) {
      super(message, null);
    }
  }
}
