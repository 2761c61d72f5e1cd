package org.modelstress.metadata.tool;

import org.modelstress.harness.server.ServerMain;

/** The server program: {@code load} and {@code serve}, for databases and services alike. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    ServerMain.run(args, new MetadataServer());
  }
}
