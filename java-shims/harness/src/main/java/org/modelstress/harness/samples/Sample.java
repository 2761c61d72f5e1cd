package org.modelstress.harness.samples;

/**
 * One execution on its way to the file. Mutable and kept by its thread, so that recording allocates
 * nothing; the fields are the columns of {@code docs/contracts.md}.
 */
public final class Sample {
  public int thread;
  public int sequence;
  public int operation;
  public Phase phase = Phase.WARMUP;

  /** Nanoseconds on this client's monotonic clock. */
  public long intendedStartNs;

  public long startNs;
  public long durationNs;

  /** Nanoseconds spent on mapping identifiers and on the digest, after the clock stopped. */
  public long verifyNs;

  /** Pauses within the execution, which are in no duration, nanoseconds. */
  public long thinkNs;

  /** How often the driver tried. */
  public int attempts = 1;

  public OutcomeCode outcome = OutcomeCode.NONE;
  public int items;

  /** Matches in the result. */
  public int resultCount;

  public long resultDigest;

  /** -1 when unknown. */
  public long bytesSent;

  /** -1 when unknown. */
  public long bytesReceived;

  /** Forgets the result of the execution before. */
  public void clearResult() {
    verifyNs = 0;
    thinkNs = 0;
    attempts = 1;
    items = 0;
    resultCount = 0;
    resultDigest = 0;
    bytesSent = -1;
    bytesReceived = -1;
  }
}
