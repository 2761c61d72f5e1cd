package org.modelstress.topology.tool;

import org.modelstress.harness.server.ServerMain;

/** The server program: {@code load} and {@code serve}, for stores and object managers alike. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    ServerMain.run(args, new TopologyServer());
  }
}
