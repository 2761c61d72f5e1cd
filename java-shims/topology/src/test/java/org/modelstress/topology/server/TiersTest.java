package org.modelstress.topology.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.EventLoopGroup;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.ObjectOutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.topology.Topologies;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.connection.jdbc.SchemaCreator;
import org.modelstress.topology.manager.Coordinator;
import org.modelstress.topology.manager.DataObject;
import org.modelstress.topology.manager.ObjectManager;
import org.modelstress.topology.manager.Transaction;
import org.modelstress.topology.manager.TransactionException;
import org.modelstress.topology.schema.ObjectType;

/** Object managers that are tiers, of real sockets, on H2. */
@Timeout(60)
class TiersTest {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final Map<String, Map<String, String>> addresses = new HashMap<>();
  private final Map<String, GenericServer> servers = new HashMap<>();
  private final List<AutoCloseable> open = new ArrayList<>();
  private Topology topology;
  private ObjectType customer;
  private String adapter = "nio";

  /** Clients, a chain or mesh of middles, and one store. */
  private String tiers(int middles, boolean mesh) {
    StringBuilder text = new StringBuilder(Topologies.TYPES);
    text.append("domains:\n  all: {code: 1, define: [SELECT FROM Customer], tree: ds1}\n");
    text.append("managers:\n");
    for (int i = middles; i >= 1; i--) {
      text.append("  m").append(i).append(":\n    id: ").append(i);
      text.append("\n    exports: [all@ds1]\n    listeners: [" + adapter + "]\n    connections:\n");
      boolean last = mesh || i == middles;
      text.append(
          last
              ? "      - {adapter: jdbc, store: ds1, imports: [all@ds1]}\n"
              : "      - {adapter: "
                  + adapter
                  + ", server: m"
                  + (i + 1)
                  + ", imports: [all@ds1]}\n");
    }
    text.append("  client:\n    ids: [100, 999]\n    connections:\n");
    for (int i = 1; i <= (mesh ? middles : 1); i++) {
      text.append("      - {adapter: ")
          .append(adapter)
          .append(", server: m")
          .append(i)
          .append(", imports: [all@ds1]}\n");
    }
    return text.toString();
  }

  private void start(String text, String... names) throws Exception {
    topology = Topologies.of(text);
    customer = topology.schema().type("Customer");
    if (!addresses.containsKey("ds1")) {
      String url = "jdbc:h2:mem:tiers" + NUMBER.getAndIncrement();
      Connection keeping = DriverManager.getConnection(url);
      open.add(keeping);
      SchemaCreator.create(keeping, topology, "ds1");
      addresses.put("ds1", Map.of("jdbc", url));
    }
    for (String name : names) {
      EventLoopGroup threads = Manager.threads();
      var config = topology.manager(name);
      ObjectManager manager =
          Manager.of(
              topology,
              config,
              config.firstId(),
              addresses,
              threads,
              connections -> Coordinator.none());
      GenericServer server =
          new GenericServer(topology, config, manager, threads, "127.0.0.1", Map.of());
      open.add(server);
      servers.put(name, server);
      addresses.put(name, server.endpoints());
    }
  }

  private ObjectManager client() throws Exception {
    EventLoopGroup threads = Manager.threads();
    open.add(() -> Manager.end(threads));
    ObjectManager client =
        Manager.of(
            topology,
            topology.manager("client"),
            100 + NUMBER.getAndIncrement(),
            addresses,
            threads,
            connections -> Coordinator.none());
    open.add(client);
    return client;
  }

  @AfterEach
  void close() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private void insert(ObjectManager manager, int number) throws Exception {
    try (Transaction transaction = manager.begin()) {
      DataObject made = transaction.insert(customer);
      made.set(0, "naïve \ud83d\ude00");
      made.set(2, number);
      made.set(3, (long) Integer.MIN_VALUE * 4);
      transaction.commit();
    }
  }

  private List<DataObject> all(ObjectManager manager) throws Exception {
    try (Transaction transaction = manager.begin()) {
      return transaction.query("SELECT FROM Customer ORDER BY customerNo");
    }
  }

  @ParameterizedTest
  @CsvSource({"1, nio", "3, nio", "5, nio", "1, serialized", "3, serialized", "1, grpc", "3, grpc"})
  void aChainOfTiersIsInvisible(int tiers, String by) throws Exception {
    adapter = by;
    String[] names = new String[tiers];
    for (int i = 0; i < tiers; i++) {
      names[i] = "m" + (tiers - i);
    }
    start(tiers(tiers, false), names);
    ObjectManager client = client();
    insert(client, 7);
    try (Transaction transaction = client().begin()) {
      DataObject found =
          transaction.query("SELECT FROM Customer WHERE name = ?", "naïve \ud83d\ude00").get(0);
      assertEquals((long) Integer.MIN_VALUE * 4, found.get(3));
      assertEquals(7, found.get(2));
      found.set(1, null);
      found.set(2, 8);
      transaction.commit();
    }
    try (Transaction transaction = client.begin()) {
      assertEquals(1, transaction.query("SELECT FROM Customer WHERE customerNo = 8").size());
    }
  }

  @Test
  void manyClientsOfAMeshLoseNothing() throws Exception {
    start(tiers(3, true), "m1", "m2", "m3");
    ExecutorService threads = Executors.newFixedThreadPool(16);
    List<Future<?>> done = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      ObjectManager client = client();
      int first = 100 * i;
      done.add(
          threads.submit(
              () -> {
                for (int k = 0; k < 20; k++) {
                  insert(client, first + k);
                }
                return null;
              }));
    }
    for (Future<?> each : done) {
      each.get(30, TimeUnit.SECONDS);
    }
    threads.shutdown();
    assertEquals(16 * 20, all(client()).size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"nio", "serialized", "grpc"})
  void anotherMemberOfAMeshAnswersWhenOneIsGone(String by) throws Exception {
    adapter = by;
    start(tiers(2, true), "m1", "m2");
    ObjectManager client = client();
    for (int i = 0; i < 10; i++) {
      insert(client, i); // by both, at random
    }
    servers.get("m1").close();
    for (int i = 0; i < 20; i++) {
      assertEquals(10, all(client).size());
    }
    insert(client, 10);
    assertEquals(11, all(client).size());
  }

  @Test
  void whereNobodyIsLeftThatIsOneSentence() throws Exception {
    start(tiers(1, false), "m1");
    ObjectManager client = client();
    insert(client, 1);
    servers.get("m1").close();
    TransactionException gone = assertThrows(TransactionException.class, () -> all(client));
    assertTrue(gone.getMessage().startsWith("m1 "), gone.getMessage());
  }

  @Test
  void aSerialisedObjectOfAnotherClassIsRefused() throws Exception {
    adapter = "serialized";
    start(tiers(1, false), "m1");
    URI address = new URI(addresses.get("m1").get("serialized"));
    try (Socket socket = new Socket(address.getHost(), address.getPort())) {
      socket.setSoTimeout(10_000);
      ObjectOutputStream out = new ObjectOutputStream(socket.getOutputStream());
      out.writeObject(new HashMap<>(Map.of("a", 1)));
      out.flush();
      socket.getInputStream().readNBytes(4); // the header of its stream
      assertEquals(-1, socket.getInputStream().read());
    } catch (SocketException e) {
      // cut off while it was still writing
    }
    insert(client(), 1);
  }

  @Test
  void whoSendsWhatIsNoRequestIsCutOffAndHarmsNobody() throws Exception {
    start(tiers(1, false), "m1");
    ObjectManager client = client();
    insert(client, 1);
    URI address = new URI(addresses.get("m1").get("nio"));
    byte[][] bad = {
      {0, 0, 0, 6, 0, 0, 0, 1, 99, 0}, // unknown request
      {
        0, 0, 0, 10, 0, 0, 0, 1, 1, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 7
      }, // long text
      {0x7F, 0, 0, 0, 0, 0, 0, 1}, // a message of two gigabytes
    };
    for (byte[] message : bad) {
      try (Socket socket = new Socket(address.getHost(), address.getPort())) {
        socket.setSoTimeout(10_000);
        new DataOutputStream(socket.getOutputStream()).write(message);
        assertEquals(-1, new DataInputStream(socket.getInputStream()).read());
      }
    }
    assertEquals(1, all(client).size());
  }
}
