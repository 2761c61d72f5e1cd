package org.modelstress.topology.work;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.databases.Database;
import org.modelstress.databases.DatabaseServer;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.Outcome.Kind;
import org.modelstress.topology.Processes;
import org.modelstress.topology.check.StoreCheck;
import org.modelstress.topology.config.ManagerConfig;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.connection.jdbc.SchemaCreator;
import org.modelstress.topology.datasets.Dataset;
import org.modelstress.topology.manager.ObjectManager;
import org.modelstress.topology.manager.TransactionException;
import org.modelstress.topology.move.ObjectMover;
import org.modelstress.topology.wire.Reply.End;
import org.modelstress.topology.xa.TransactionLog;

/**
 * The marketplace in its ten steps, on stores that stay: one application, ten configurations (Free
 * Data Objects, 7.1.2).
 */
@Timeout(900)
class EvolutionTest {
  private static final String MARKET = "marketplace-1";
  private static final Map<String, Object> SMALL =
      Map.of("accommodations", 201, "landlords", 3, "customers", 20);
  private static final Map<String, Object> PARAMETERS = Map.of("countries", 1);
  private static final String[] WORK = {
    "reserve",
    "reserve",
    "reserve",
    "cancel",
    "describe",
    "add-landlord",
    "add-customer",
    "add-accommodation",
    "reserve"
  };
  private static final int TRANSACTIONS = 25;

  @TempDir private Path folder;
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final Map<String, String> urls = new HashMap<>();
  private int sessions;

  @AfterEach
  void end() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }

  @Test
  void tenStepsOfOneApplicationOnStoresThatStay() throws Exception {
    Database database = Database.of("postgresql");
    database.prepare(folder, null);
    for (int i = 1; i <= 5; i++) {
      Path data = folder.resolve("ds" + i);
      database.create(data, "ds" + i);
      DatabaseServer server = database.start(data, "127.0.0.1", 0, "ds" + i);
      open.push(server);
      urls.put("ds" + i, server.jdbc());
    }
    evolve();
  }

  private static String distributionOf(int step) {
    return step < 4 ? "one-store" : step == 4 ? "three-stores" : "two-markets";
  }

  private void evolve() throws Exception {
    TransactionLog log = TransactionLog.open(folder.resolve("transactions"), "evolution");
    open.push(log::close);
    Processes.load(
        Processes.distribution("one-store"),
        Map.of("ds1", urls.get("ds1")),
        Dataset.of(MARKET, SMALL));
    for (int step = 1; step <= 10; step++) {
      Topology distribution = Processes.distribution(distributionOf(step));
      Map<String, String> stores = Processes.of(distribution, urls);
      if (step == 4) {
        moved(distribution);
      }
      if (step == 5) {
        theirs(distribution);
      }
      Topology topology = Processes.topology(distributionOf(step), "market-" + step);
      Map<Kind, Integer> outcomes;
      try (Processes processes = new Processes(topology, stores, log)) {
        outcomes = work(processes, topology, step);
      }
      assertNull(StoreCheck.problem(distribution, stores, MARKET), "step " + step);
      assertTrue(outcomes.getOrDefault(Kind.OK, 0) > 10, step + ": " + outcomes);
    }
  }

  private void moved(Topology distribution) throws Exception {
    Topology before = Processes.distribution("one-store");
    try (ObjectMover mover = new ObjectMover(before, distribution, urls, done -> {})) {
      assertTrue(mover.move() > 0);
    }
  }

  /** The other marketplace was there before; it has a distribution of its own. */
  private void theirs(Topology distribution) throws Exception {
    for (String store : distribution.stores().keySet()) {
      SchemaCreator.create(urls.get(store), distribution, store);
    }
    Processes.load(
        distribution.seenBy("theirs"),
        Map.of("ds4", urls.get("ds4"), "ds5", urls.get("ds5")),
        Dataset.of(MARKET, SMALL));
  }

  /** Clients of all kinds, each in a thread; one in step 1. */
  private Map<Kind, Integer> work(Processes processes, Topology topology, int step)
      throws Exception {
    List<ManagerConfig> kinds =
        topology.managers().stream().filter(ManagerConfig::isClient).toList();
    int clients = step == 1 ? 1 : Math.max(4, kinds.size());
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    try {
      List<Future<Map<Kind, Integer>>> ending = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        ManagerConfig kind = kinds.get(i % kinds.size());
        ObjectManager client = processes.client(kind, i / kinds.size());
        int number = sessions++;
        ending.add(threads.submit(() -> session(client, kind, number)));
      }
      Map<Kind, Integer> all = new EnumMap<>(Kind.class);
      for (Future<Map<Kind, Integer>> end : ending) {
        end.get().forEach((outcome, count) -> all.merge(outcome, count, Integer::sum));
      }
      return all;
    } finally {
      threads.shutdownNow();
    }
  }

  private static Map<Kind, Integer> session(ObjectManager client, ManagerConfig kind, int number)
      throws TransactionException {
    Random random = new Random(number);
    Map<String, Action> actions = new MarketWork(client.topology(), number, random).actions();
    Map<Kind, Integer> outcomes = new EnumMap<>(Kind.class);
    int readOnly = 0;
    for (int i = 0; i < TRANSACTIONS; i++) {
      String action = WORK[random.nextInt(WORK.length)];
      Outcome outcome;
      try {
        outcome = actions.get(action).run(client::begin, PARAMETERS);
        readOnly += String.valueOf(outcome.detail()).contains("can only be read") ? 1 : 0;
      } catch (TransactionException e) {
        if (e.end() != End.VERSION && e.end() != End.DEADLOCK) {
          throw e;
        }
        outcome = Outcome.failed(Kind.ABORTED, e.getMessage());
      }
      outcomes.merge(outcome.kind(), 1, Integer::sum);
    }
    assertEquals(kind.name().equals("partner"), readOnly > 0, kind.name() + " " + readOnly);
    return outcomes;
  }
}
