package org.modelstress.harness;

import org.modelstress.harness.client.ClientCommand;

/** The programs of the harness: {@code client}. */
public final class Main {
  private Main() {}

  /** Runs a program and ends the process. */
  public static void main(String[] args) {
    ClientCommand.run(args);
  }
}
