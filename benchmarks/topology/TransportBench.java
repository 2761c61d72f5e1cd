import io.netty.channel.EventLoopGroup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.modelstress.topology.config.Link.Adapter;
import org.modelstress.topology.config.Part;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.config.TopologyFile;
import org.modelstress.topology.connection.Connection;
import org.modelstress.topology.connection.rmi.RmiClient;
import org.modelstress.topology.data.ObjectState;
import org.modelstress.topology.data.Oids;
import org.modelstress.topology.manager.Coordinator;
import org.modelstress.topology.manager.ObjectManager;
import org.modelstress.topology.schema.Attribute;
import org.modelstress.topology.schema.ObjectType;
import org.modelstress.topology.server.GenericServer;
import org.modelstress.topology.server.Manager;
import org.modelstress.topology.wire.Reply;
import org.modelstress.topology.wire.Request;

/**
 * Scenario 4 without a database: transactions per second that find 20 accommodations, with all
 * attributes and their landlords' names, by every protocol in turns, 10 clients.
 *
 * <pre>java -cp java-shims/topology/target/dist/topology.jar benchmarks/topology/TransportBench.java
 * [objects 20] [clients 10] [rounds 5] [seconds 3]</pre>
 *
 * Server and clients are in one process; everything goes through sockets of the loopback interface.
 */
public final class TransportBench {
  private static final Adapter[] ADAPTERS = {
    Adapter.NIO, Adapter.SERIALIZED, Adapter.GRPC, Adapter.RMI
  };

  private static final String TYPES =
      """
      types:
        Landlord:
          code: 100
          attributes: {name: string, address: string, phone: string, email: string}
        Accommodation:
          code: 101
          attributes:
            countryCode: short indexed
            address: string
            description: string
            accommodationType: short
            coordX: double
            coordY: double
            numberOfBeds: short
            petsAllowed: bool
            landlord: Landlord
            hasTv: bool
            distanceToBeach: float
            rentPerDay: float
      stores: {ds1: 1}
      domains:
        all: {code: 1, define: [SELECT FROM Landlord, SELECT FROM Accommodation], tree: ds1}
      managers:
        m1:
          id: 1
          connections: [{adapter: jdbc, store: ds1, imports: [all@ds1]}]
          exports: [all@ds1]
          listeners: [nio, serialized, grpc, rmi]
      """;

  private static final String QUERY =
      "SELECT FROM Accommodation WHERE countryCode = ? ORDER BY rentPerDay";

  private final Topology topology;
  private final GenericServer server;
  private final Map<Adapter, List<AutoCloseable>> clients = new EnumMap<>(Adapter.class);
  private final EventLoopGroup threads = Manager.threads();
  private final int objects;

  private TransportBench(int objects, int count) throws Exception {
    this.objects = objects;
    StringBuilder text = new StringBuilder(TYPES);
    int id = 100;
    for (Adapter adapter : ADAPTERS) {
      text.append("  ").append(adapter.word()).append(":\n    ids: [").append(id).append(", ");
      text.append(id + count - 1).append("]\n    connections: [{adapter: ").append(adapter.word());
      text.append(", server: m1, imports: [all@ds1]}]\n");
      id += count;
    }
    topology = TopologyFile.parse("bench", text.toString());
    ObjectManager manager =
        new ObjectManager(topology, 1, 1000, List.of(new Memory()), Coordinator.none());
    server =
        new GenericServer(
            topology, topology.manager("m1"), manager, Manager.threads(), "127.0.0.1", Map.of());
    Map<String, Map<String, String>> addresses = Map.of("m1", server.endpoints());
    for (Adapter adapter : ADAPTERS) {
      List<AutoCloseable> made = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        var config = topology.manager(adapter.word());
        made.add(
            adapter == Adapter.RMI
                ? new RmiClient("m1", Manager.socket(server.endpoints().get("rmi"), "rmi"))
                : Manager.of(
                    topology, config, config.firstId() + i, addresses, threads,
                    connections -> Coordinator.none()));
      }
      clients.put(adapter, made);
    }
  }

  /** A store that has the answer ready. */
  private final class Memory implements Connection {
    private final ArrayList<ObjectState> accommodations = new ArrayList<>();
    private final ArrayList<ObjectState> landlords = new ArrayList<>();

    Memory() {
      Random random = new Random(1);
      long owner = Oids.of(1, 0, 1);
      landlords.add(state(topology.schema().type("Landlord"), owner, owner, random));
      for (int i = 0; i < objects; i++) {
        ObjectType type = topology.schema().type("Accommodation");
        accommodations.add(state(type, Oids.of(1, 0, 2 + i), owner, random));
      }
    }

    private static ObjectState state(ObjectType type, long oid, long owner, Random random) {
      Object[] values = new Object[type.attributes().size()];
      for (int i = 0; i < values.length; i++) {
        Attribute attribute = type.attribute(i);
        values[i] =
            switch (attribute.type()) {
              case STRING -> "x".repeat(20);
              case BOOL -> true;
              case REFERENCE -> owner;
              default -> attribute.type().of(random.nextInt(100));
            };
      }
      return new ObjectState(type.code(), oid, 0, 1, values);
    }

    @Override
    public Set<Part> imports() {
      return Set.of(new Part("all", "ds1"));
    }

    @Override
    public String peer() {
      return "ds1";
    }

    @Override
    public Reply ask(Request request, long timeoutMillis) {
      boolean found = request instanceof Request.Find;
      return new Reply.Objects(new ArrayList<>(found ? accommodations : landlords));
    }

    @Override
    public void close() {}
  }

  private int transaction(AutoCloseable client) throws Exception {
    ObjectType type = topology.schema().type("Accommodation");
    int landlord = type.place("landlord");
    int read = 0;
    if (client instanceof RmiClient remote) {
      for (var object : remote.session().query(QUERY, new Object[] {(short) 1})) {
        for (int place = 0; place < type.attributes().size(); place++) {
          Object value = place == landlord ? object.follow(place).get(0) : object.get(place);
          read += value == null ? 0 : 1;
        }
      }
      return read;
    }
    try (var transaction = ((ObjectManager) client).begin()) {
      for (var object : transaction.query(QUERY, (short) 1)) {
        for (int place = 0; place < type.attributes().size(); place++) {
          Object value = place == landlord ? object.follow(place).get(0) : object.get(place);
          read += value == null ? 0 : 1;
        }
      }
      transaction.commit();
    }
    return read;
  }

  private double perSecond(Adapter adapter, double seconds) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(clients.get(adapter).size());
    long begin = System.nanoTime();
    long end = begin + (long) (seconds * 1e9);
    List<Future<Integer>> counts = new ArrayList<>();
    for (AutoCloseable client : clients.get(adapter)) {
      counts.add(
          pool.submit(
              () -> {
                int count = 0;
                while (System.nanoTime() - end < 0) {
                  if (transaction(client) != 12 * objects) {
                    throw new IllegalStateException("a wrong answer by " + adapter);
                  }
                  count++;
                }
                return count;
              }));
    }
    int sum = 0;
    for (Future<Integer> count : counts) {
      sum += count.get();
    }
    pool.shutdown();
    return sum / ((System.nanoTime() - begin) * 1e-9);
  }

  public static void main(String[] args) throws Exception {
    int objects = args.length > 0 ? Integer.parseInt(args[0]) : 20;
    int count = args.length > 1 ? Integer.parseInt(args[1]) : 10;
    int rounds = args.length > 2 ? Integer.parseInt(args[2]) : 5;
    double seconds = args.length > 3 ? Double.parseDouble(args[3]) : 3;
    TransportBench bench = new TransportBench(objects, count);
    List<Adapter> order = new ArrayList<>(Arrays.asList(ADAPTERS));
    Map<Adapter, List<Double>> found = new EnumMap<>(Adapter.class);
    for (int round = -1; round < rounds; round++) { // the first one warms up
      Collections.shuffle(order, new Random(round));
      for (Adapter adapter : order) {
        double rate = bench.perSecond(adapter, seconds);
        if (round >= 0) {
          found.computeIfAbsent(adapter, key -> new ArrayList<>()).add(rate);
        }
      }
    }
    List<Double> nio = found.get(Adapter.NIO);
    for (Adapter adapter : ADAPTERS) {
      List<Double> rates = found.get(adapter);
      List<Double> ratios = new ArrayList<>();
      for (int i = 0; i < rates.size(); i++) {
        ratios.add(nio.get(i) / rates.get(i));
      }
      Collections.sort(ratios);
      String each = rates.stream().map(r -> String.format("%.0f", r)).collect(Collectors.joining(" "));
      System.out.printf(
          "%-10s %s per second; NIO %.2f× (%.2f to %.2f)%n",
          adapter.word(), each, ratios.get(ratios.size() / 2), ratios.get(0),
          ratios.get(ratios.size() - 1));
    }
    System.exit(0);
  }
}
