package org.modelstress.metadata.objects;

/** A call of the service failed; the message is one sentence. */
public final class MetadataException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Why, as far as it matters to whoever called. */
  public enum Reason {
    /** What was asked for makes no sense: a wrong name, type or size. */
    INVALID,
    /** The type, object or version is not there. */
    NOT_FOUND,
    /** Somebody else made the next version. */
    CONFLICT,
    /** The service has too much to do; nothing happened. */
    BUSY,
    /**
     * The database or the way to the service failed; what was written is there or not, never half.
     */
    FAILED,
    /** No answer came in time; as FAILED. */
    TIMEOUT
  }

  private final Reason reason;

  public MetadataException(Reason reason, String message) {
    this(reason, message, null);
  }

  public MetadataException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  /** What is asked for makes no sense. */
  public static MetadataException invalid(String message) {
    return new MetadataException(Reason.INVALID, message);
  }

  /** Why. */
  public Reason reason() {
    return reason;
  }
}
