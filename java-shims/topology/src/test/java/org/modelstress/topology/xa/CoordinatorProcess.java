package org.modelstress.topology.xa;

import io.netty.channel.EventLoopGroup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.config.TopologyFile;
import org.modelstress.topology.manager.DataObject;
import org.modelstress.topology.manager.ObjectManager;
import org.modelstress.topology.manager.Transaction;
import org.modelstress.topology.manager.TransactionException;
import org.modelstress.topology.schema.ObjectType;
import org.modelstress.topology.server.Manager;

/**
 * A client that coordinates transactions on two stores, to be killed: {@code topology.yaml log
 * first count point transaction victim name=url…}. The victim is the process that is killed at the
 * point in that transaction; 0: this one. Prints how each transaction ended, then looks for what is
 * in doubt until its input ends.
 */
final class CoordinatorProcess {
  private static boolean crashed;

  private CoordinatorProcess() {}

  public static void main(String[] args) throws Exception {
    Topology topology = TopologyFile.read(Path.of(args[0]));
    Path folder = Files.createDirectories(Path.of(args[1]));
    int first = Integer.parseInt(args[2]);
    int count = Integer.parseInt(args[3]);
    CrashPoint point = CrashPoint.valueOf(args[4]);
    int transaction = Integer.parseInt(args[5]);
    Map<String, Map<String, String>> addresses = new HashMap<>();
    long victim = Long.parseLong(args[6]);
    for (String each : List.of(args).subList(7, args.length)) {
      String[] sides = each.split("=", 2);
      String adapter = sides[1].startsWith("jdbc:") ? "jdbc" : sides[1].replaceAll(":.*", "");
      addresses.put(sides[0], Map.of(adapter, sides[1]));
    }
    EventLoopGroup threads = Manager.threads();
    try (TransactionLog log = TransactionLog.open(folder, "coordinator");
        ObjectManager objects =
            Manager.of(
                topology,
                topology.manager("client"),
                10,
                addresses,
                threads,
                connections ->
                    new CrashingCoordinator(
                        new TwoPhaseCoordinator(log, topology, connections),
                        point,
                        transaction,
                        () -> kill(victim)))) {
      for (int number = first; number < first + count; number++) {
        System.out.println(number + " " + insert(objects, number));
        if (crashed) {
          crashed = false;
          System.in.read(); // until whoever was killed is there again
        }
      }
      System.out.println("done");
      while (System.in.read() >= 0) {
        // until nobody asks any more
      }
    }
    Manager.end(threads);
  }

  private static String insert(ObjectManager objects, int number) {
    try (Transaction transaction = objects.begin(10_000)) {
      ObjectType type = objects.topology().schema().type("Customer");
      DataObject customer = transaction.insert(type);
      customer.set(type.place("customerNo"), number);
      transaction.commit();
      return "COMMITTED";
    } catch (TransactionException e) {
      return e.end() + " " + e.getMessage();
    }
  }

  /** As if the power went. */
  private static void kill(long victim) {
    crashed = true;
    if (victim == 0) {
      System.out.println("crash");
      System.out.flush();
      Runtime.getRuntime().halt(137);
    }
    ProcessHandle process = ProcessHandle.of(victim).orElseThrow();
    process.destroyForcibly();
    process.onExit().join();
    System.out.println("crash");
  }
}
