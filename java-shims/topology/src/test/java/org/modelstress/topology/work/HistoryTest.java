package org.modelstress.topology.work;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.topology.Processes;
import org.modelstress.topology.config.ManagerConfig;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.datasets.Dataset;
import org.modelstress.topology.manager.DataObject;
import org.modelstress.topology.manager.ObjectManager;
import org.modelstress.topology.manager.Transaction;
import org.modelstress.topology.manager.TransactionException;
import org.modelstress.topology.objects.Landlord;
import org.modelstress.topology.wire.Reply.End;

/**
 * Histories of transactions through caches and meshes: all processes of the marketplace's last
 * step. Reads are repeatable, and no update is lost.
 */
@Timeout(300)
class HistoryTest {
  private static final int LANDLORDS = 4;
  private static final int TRANSACTIONS = 60;
  private static final String ALL = "SELECT FROM Landlord";

  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  /** A transaction that was committed: the versions that it read, and what it wrote. */
  private record Done(Map<Long, Integer> read, long written) {}

  @AfterEach
  void end() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mesh-4", "tiers-3"})
  void everyVersionIsFollowedByOneOther(String name) throws Exception {
    Topology topology = Processes.topology("one-store", name);
    Map<String, String> urls = Map.of("ds1", Processes.store("ds1", open));
    Processes.load(
        topology,
        urls,
        Dataset.of("marketplace", Map.of("accommodations", 201, "landlords", LANDLORDS)));
    Processes processes = new Processes(topology, urls, null);
    open.push(processes);
    List<Done> history = history(processes, topology);
    Map<Long, Integer> last = versions(processes, topology);

    Map<Long, Integer> updates = new HashMap<>();
    Map<String, Done> followers = new HashMap<>();
    for (Done done : history) {
      updates.merge(done.written, 1, Integer::sum);
      Done other = followers.put(done.written + "@" + done.read.get(done.written), done);
      assertEquals(null, other, "two transactions wrote over the same version");
    }
    assertEquals(LANDLORDS, last.size());
    for (Map.Entry<Long, Integer> entry : last.entrySet()) {
      assertEquals(
          entry.getValue(),
          updates.getOrDefault(entry.getKey(), 0),
          "an update is lost or doubled");
    }
    assertTrue(history.size() > 50, "committed " + history.size());
  }

  private List<Done> history(Processes processes, Topology topology) throws Exception {
    List<ManagerConfig> kinds =
        topology.managers().stream().filter(ManagerConfig::isClient).toList();
    int clients = 8;
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    try {
      List<Future<List<Done>>> ending = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        ObjectManager client = processes.client(kinds.get(i % kinds.size()), i / kinds.size());
        int number = i;
        ending.add(threads.submit(() -> updates(client, new Random(number))));
      }
      List<Done> history = new ArrayList<>();
      for (Future<List<Done>> end : ending) {
        history.addAll(end.get());
      }
      return history;
    } finally {
      threads.shutdownNow();
    }
  }

  private static List<Done> updates(ObjectManager client, Random random)
      throws TransactionException {
    List<Done> all = new ArrayList<>();
    for (int i = 0; i < TRANSACTIONS; i++) {
      try {
        all.add(update(client, random));
      } catch (TransactionException e) {
        if (e.end() != End.VERSION && e.end() != End.DEADLOCK) {
          throw e;
        }
      }
    }
    return all;
  }

  /** Reads all by a query, one again by its identifier and all again, and writes to one. */
  private static Done update(ObjectManager client, Random random) throws TransactionException {
    try (Transaction transaction = client.begin()) {
      Map<Long, Integer> read = new HashMap<>();
      Map<Long, Object> names = new HashMap<>();
      List<DataObject> found = transaction.query(ALL);
      for (DataObject object : found) {
        read.put(object.oid(), object.version());
        names.put(object.oid(), object.get(0));
      }
      DataObject one = found.get(random.nextInt(found.size()));
      Thread.yield(); // others may write meanwhile
      DataObject again = transaction.get(one.type(), one.oid());
      assertEquals(read.get(one.oid()), again.version(), "a read is not repeatable");
      for (DataObject object : transaction.query(ALL)) {
        assertEquals(read.get(object.oid()), object.version(), "a read is not repeatable");
        assertEquals(names.get(object.oid()), object.get(0), "a read is not repeatable");
      }
      new Landlord(again).setName("name " + random.nextInt());
      transaction.commit();
      return new Done(read, one.oid());
    }
  }

  private static Map<Long, Integer> versions(Processes processes, Topology topology)
      throws Exception {
    ManagerConfig kind = topology.manager("client");
    try (Transaction transaction = processes.client(kind, 500).begin()) {
      Map<Long, Integer> versions = new HashMap<>();
      transaction.query(ALL).forEach(each -> versions.put(each.oid(), each.version()));
      return versions;
    }
  }
}
