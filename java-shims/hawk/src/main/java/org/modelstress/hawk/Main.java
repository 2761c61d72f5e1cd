package org.modelstress.hawk;

import java.util.List;
import org.modelstress.harness.server.ServerMain;
import org.modelstress.hawk.graph.neo4j.Neo4jBackend;
import org.modelstress.hawk.graph.orient.OrientBackend;
import org.modelstress.hawk.server.HawkServer;

/** The program {@code hawk.jar}: {@code load} and {@code serve}. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    ServerMain.run(args, new HawkServer(List.of(new Neo4jBackend(), new OrientBackend())));
  }
}
