package org.modelstress.harness.samples;

/** Part of an invocation that an execution belongs to; the ordinal is its code in the file. */
public enum Phase {
  WARMUP,
  MEASURE,
  COOLDOWN;

  /** Name in files and messages. */
  public String text() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
