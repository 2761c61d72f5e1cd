import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.channel.EventLoopGroup;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.modelstress.topology.config.ManagerConfig;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.config.TopologyFile;
import org.modelstress.topology.connection.Connection;
import org.modelstress.topology.manager.Coordinator;
import org.modelstress.topology.manager.DataObject;
import org.modelstress.topology.manager.ObjectManager;
import org.modelstress.topology.manager.Transaction;
import org.modelstress.topology.manager.TransactionException;
import org.modelstress.topology.objects.Customer;
import org.modelstress.topology.objects.Landlord;
import org.modelstress.topology.server.Manager;
import org.modelstress.topology.wire.Reply.End;
import org.modelstress.topology.work.Action;
import org.modelstress.topology.work.MarketWork;
import org.modelstress.topology.xa.TransactionLog;
import org.modelstress.topology.xa.TwoPhaseCoordinator;

/**
 * Clients of {@code storm.py}, which kills them and their servers. Half of the transactions are
 * those of the marketplace, the others mark that they were committed: each makes a landlord and a
 * customer of the same name, which no other transaction has, in whichever stores these belong to.
 *
 * <p>Before a transaction its name is written to the log, afterwards how it ended: a line each, with
 * one write, so that a killed client has said what it had promised.
 *
 * <pre>java -cp topology.jar StormClient.java CONFIG.json</pre>
 */
public final class StormClient {
  private static final Map<String, Object> PARAMETERS = Map.of("countries", 4);
  private static final String[] WORK = {
    "reserve", "reserve", "cancel", "describe", "add-accommodation", "add-customer"
  };
  private static final long TIMEOUT_MILLIS = 5_000;
  private static final int PAUSE_MILLIS = 50;

  private StormClient() {}

  public static void main(String[] args) throws Exception {
    JsonNode config = new ObjectMapper().readTree(Path.of(args[0]).toFile());
    Topology topology = TopologyFile.parse("topology", config.get("topology").asText());
    Map<String, Map<String, String>> addresses = new HashMap<>();
    config
        .get("addresses")
        .fields()
        .forEachRemaining(
            node -> {
              Map<String, String> its = new HashMap<>();
              node.getValue().fields().forEachRemaining(a -> its.put(a.getKey(), a.getValue().asText()));
              addresses.put(node.getKey(), its);
            });
    String process = config.get("name").asText();
    int first = config.get("first").asInt();
    int count = config.get("threads").asInt();
    AtomicLong left = new AtomicLong(config.get("transactions").asLong());
    List<ManagerConfig> kinds =
        topology.managers().stream().filter(ManagerConfig::isClient).toList();
    TransactionLog log =
        kinds.stream().anyMatch(TransactionLog::isNeeded)
            ? TransactionLog.open(Path.of(config.get("log").asText()), process)
            : null;
    EventLoopGroup threads = Manager.threads();
    List<Thread> all = new ArrayList<>();
    try (FileOutputStream out = new FileOutputStream(config.get("out").asText(), true)) {
      for (int i = 0; i < count; i++) {
        ManagerConfig kind = kinds.get(i % kinds.size());
        ObjectManager client =
            Manager.of(
                topology,
                kind,
                kind.firstId() + first + i,
                addresses,
                threads,
                connections -> coordinator(log, topology, connections));
        int number = first + i;
        Thread thread = new Thread(() -> run(client, number, left, out));
        all.add(thread);
        thread.start();
      }
      for (Thread thread : all) {
        thread.join();
      }
    }
    Thread.sleep(config.get("linger_ms").asLong()); // what a predecessor left in doubt is ended
    System.exit(0);
  }

  private static Coordinator coordinator(
      TransactionLog log, Topology topology, List<Connection> connections) {
    return log == null ? Coordinator.none() : new TwoPhaseCoordinator(log, topology, connections);
  }

  private static void run(
      ObjectManager client, int number, AtomicLong left, FileOutputStream out) {
    Random random = new Random();
    Map<String, Action> actions = new MarketWork(client.topology(), number, random).actions();
    for (int i = 0; left.getAndDecrement() > 0; i++) {
      try {
        if (random.nextBoolean()) {
          mark(client, number, i, out);
        } else {
          String end = market(client, actions.get(WORK[random.nextInt(WORK.length)]));
          write(out, "market " + end);
        }
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static String market(ObjectManager client, Action action) {
    try {
      return action.run(() -> client.begin(TIMEOUT_MILLIS), PARAMETERS).kind().name();
    } catch (TransactionException e) {
      pause(e.end());
      return e.end().name();
    }
  }

  private static void mark(
      ObjectManager client, int number, int i, FileOutputStream out)
      throws IOException {
    String name = "mark-" + number + "-" + i + "-" + Long.toHexString(System.nanoTime());
    write(out, "begin " + name);
    End end;
    try (Transaction transaction = client.begin(TIMEOUT_MILLIS)) {
      DataObject landlord =
          transaction.insert(client.topology().schema().type(Landlord.TYPE));
      new Landlord(landlord).setName(name);
      Customer customer =
          new Customer(transaction.insert(client.topology().schema().type(Customer.TYPE)));
      customer.setName(name);
      customer.setCustomerNo(-1 - number * 100_000 - i); // nobody else's
      transaction.commit();
      end = End.COMMITTED;
    } catch (TransactionException e) {
      end = e.end();
      pause(end);
    }
    write(out, "end " + name + " " + end);
  }

  /** Who is not reached is not asked again at once. */
  private static void pause(End end) {
    if (end == End.UNREACHABLE || end == End.UNKNOWN) {
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void write(FileOutputStream out, String line) throws IOException {
    out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
  }
}
