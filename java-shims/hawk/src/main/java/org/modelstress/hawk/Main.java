package org.modelstress.hawk;

import java.util.Arrays;
import java.util.List;
import org.modelstress.harness.server.ServerMain;
import org.modelstress.hawk.driver.IdsCommand;
import org.modelstress.hawk.graph.neo4j.Neo4jBackend;
import org.modelstress.hawk.graph.orient.OrientBackend;
import org.modelstress.hawk.server.HawkServer;

/** The program {@code hawk.jar}: {@code load}, {@code serve} and {@code ids}. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    if (args.length > 0 && args[0].equals("ids")) {
      IdsCommand.run(Arrays.copyOfRange(args, 1, args.length));
      return;
    }
    ServerMain.run(args, new HawkServer(List.of(new Neo4jBackend(), new OrientBackend())));
  }
}
