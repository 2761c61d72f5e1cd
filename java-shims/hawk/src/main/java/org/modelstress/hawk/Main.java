package org.modelstress.hawk;

/** The program {@code hawk.jar}. */
public final class Main {
  private Main() {}

  /** Runs {@code load} or {@code serve}. */
  public static void main(String[] args) {
    throw new UnsupportedOperationException("not built yet");
  }
}
