package org.modelstress.harness.server;

/** A server program cannot go on; the exit code and one sentence say why. */
public class ServerException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Why a server program ended. */
  public enum Exit {
    /** Arguments or configuration file. */
    CONFIG(2),
    /** The model is missing, truncated or not understood, or the dataset is not known. */
    MODEL(3),
    /** The store is missing, damaged or of another version. */
    STORE(4),
    /** The address or port cannot be bound. */
    PORT(5),
    /** Anything else. */
    INTERNAL(6);

    private final int code;

    Exit(int code) {
      this.code = code;
    }

    /** The process exit code. */
    public int code() {
      return code;
    }
  }

  private final Exit exit;

  public ServerException(Exit exit, String message, Throwable cause) {
    super(message, cause);
    this.exit = exit;
  }

  /** Why. */
  public Exit exit() {
    return exit;
  }
}
