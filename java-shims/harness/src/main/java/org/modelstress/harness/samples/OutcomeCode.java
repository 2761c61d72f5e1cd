package org.modelstress.harness.samples;

import org.modelstress.harness.spi.Outcome;

/** How an execution ended, as recorded; the ordinal is its code in the file. */
public enum OutcomeCode {
  /** Never finished; what a record holds before anything is written into it. */
  NONE,
  OK,
  INCORRECT,
  ERROR,
  TIMEOUT,

  /** The harness itself ended it. */
  UNFINISHED,
  REJECTED,
  ABORTED;

  /** Name in files and messages; empty for {@link #NONE}. */
  public String text() {
    return this == NONE ? "" : name().toLowerCase(java.util.Locale.ROOT);
  }

  /** The code of what a driver reports. */
  public static OutcomeCode of(Outcome.Kind kind) {
    return switch (kind) {
      case OK -> OK;
      case INCORRECT -> INCORRECT;
      case ABORTED -> ABORTED;
      case ERROR -> ERROR;
      case TIMEOUT -> TIMEOUT;
      case REJECTED -> REJECTED;
    };
  }
}
