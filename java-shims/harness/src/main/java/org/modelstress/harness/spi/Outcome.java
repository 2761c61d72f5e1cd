package org.modelstress.harness.spi;

/**
 * What an execution came to.
 *
 * @param kind how it ended, as the driver sees it; {@code incorrect} is judged later, against the
 *     oracle
 * @param ids store identifiers of the result, arity × matches of them, in match order
 * @param items how many identifiers (or other items) came back
 * @param bytesSent payload bytes sent, -1 when the driver cannot know
 * @param bytesReceived payload bytes received, -1 when the driver cannot know
 * @param detail for everything but OK: one sentence for a person, else null
 */
public record Outcome(
    Kind kind, StoreIds ids, int items, long bytesSent, long bytesReceived, String detail) {
  /** How an execution can end in a driver. */
  public enum Kind {
    OK,
    ERROR,
    TIMEOUT,
    REJECTED
  }

  /** A successful outcome with identifiers and unknown traffic. */
  public static Outcome ok(StoreIds ids) {
    return new Outcome(Kind.OK, ids, ids.size(), -1, -1, null);
  }

  /** A failed outcome with its reason. */
  public static Outcome failed(Kind kind, String detail) {
    return new Outcome(kind, StoreIds.NONE, 0, -1, -1, detail);
  }

  /** The same outcome with the payload bytes that it took. */
  public Outcome withTraffic(long sent, long received) {
    return new Outcome(kind, ids, items, sent, received, detail);
  }
}
