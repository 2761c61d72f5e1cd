package org.modelstress.harness.spi;

/**
 * What an execution came to.
 *
 * @param kind how it ended, as the driver sees it; answers are judged besides, against an oracle
 * @param result what came back; identifiers are arity × matches of them, in match order
 * @param attempts how often the driver tried, from 1
 * @param bytesSent payload bytes sent, -1 when the driver cannot know
 * @param bytesReceived payload bytes received, -1 when the driver cannot know
 * @param detail for everything but OK: one sentence for a person, else null
 */
public record Outcome(
    Kind kind, Result result, int attempts, long bytesSent, long bytesReceived, String detail) {
  /** How an execution can end in a driver. */
  public enum Kind {
    OK,

    /** It was answered, and the driver knows that the answer is wrong. */
    INCORRECT,

    /** The tool ended it by its own rules, such as an optimistic conflict. */
    ABORTED,

    /** The tool refused it, for a business reason or because of its load. */
    REJECTED,
    ERROR,
    TIMEOUT
  }

  /** A successful outcome with its result and unknown traffic. */
  public static Outcome ok(Result result) {
    return new Outcome(Kind.OK, result, 1, -1, -1, null);
  }

  /** Any other outcome with its reason. */
  public static Outcome failed(Kind kind, String detail) {
    return new Outcome(kind, Result.NONE, 1, -1, -1, detail);
  }

  /** The same outcome with the payload bytes that it took. */
  public Outcome withTraffic(long sent, long received) {
    return new Outcome(kind, result, attempts, sent, received, detail);
  }

  /** The same outcome after so many attempts. */
  public Outcome withAttempts(int tries) {
    return new Outcome(kind, result, tries, bytesSent, bytesReceived, detail);
  }

  /** The identifiers of the result; none when it has no identifiers. */
  public Ids ids() {
    return result instanceof Ids ids ? ids : Ids.NONE;
  }

  /** How many identifiers or other items came back. */
  public int items() {
    return result.items();
  }
}
