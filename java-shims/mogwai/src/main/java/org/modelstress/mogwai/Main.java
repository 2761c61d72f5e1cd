package org.modelstress.mogwai;

import org.modelstress.harness.server.ServerMain;
import org.modelstress.mogwai.server.MogwaiServer;

/** The program {@code mogwai.jar}: {@code load} and {@code serve}. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    ServerMain.run(args, new MogwaiServer());
  }
}
