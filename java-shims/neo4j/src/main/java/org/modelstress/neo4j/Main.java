package org.modelstress.neo4j;

import org.modelstress.harness.server.ServerMain;

/** The server program: {@code load} and {@code serve}. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    ServerMain.run(args, new Neo4jServer());
  }
}
