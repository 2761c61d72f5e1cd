package org.modelstress.topology.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.modelstress.topology.Topologies;
import org.modelstress.topology.config.Link;
import org.modelstress.topology.config.ManagerConfig;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.connection.jdbc.JdbcConnection;
import org.modelstress.topology.connection.jdbc.SchemaCreator;
import org.modelstress.topology.connection.jdbc.Store;
import org.modelstress.topology.schema.ObjectType;
import org.modelstress.topology.wire.Reply.End;

class TransactionTest {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final Map<String, String> urls = new HashMap<>();
  private final List<AutoCloseable> open = new ArrayList<>();
  private Topology topology;
  private ObjectType customer;

  /** A manager of a configuration of which stores are H2 databases in memory. */
  private ObjectManager manager(String text) throws Exception {
    topology = Topologies.of(text);
    customer = topology.schema().type("Customer");
    ManagerConfig config = topology.manager("client");
    List<org.modelstress.topology.connection.Connection> connections = new ArrayList<>();
    for (Link link : config.links()) {
      connections.add(
          new JdbcConnection(
              link.peer(), link.imports(), topology, new Store(link.peer(), url(link.peer()), 8)));
    }
    ObjectManager manager =
        new ObjectManager(
            topology, 10 + NUMBER.getAndIncrement(), 1000, connections, Coordinator.none());
    open.add(manager);
    return manager;
  }

  private String url(String store) throws Exception {
    String known = urls.get(store);
    if (known != null) {
      return known;
    }
    String url = "jdbc:h2:mem:" + store + NUMBER.getAndIncrement() + ";LOCK_TIMEOUT=2000";
    Connection keeping = DriverManager.getConnection(url); // else it goes with its last connection
    open.add(keeping);
    SchemaCreator.create(keeping, topology, store);
    urls.put(store, url);
    return url;
  }

  @AfterEach
  void close() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private void insert(ObjectManager manager, int... numbers) throws Exception {
    try (Transaction transaction = manager.begin()) {
      for (int number : numbers) {
        DataObject made = transaction.insert(customer);
        made.set(0, "name " + number);
        made.set(2, number);
        made.set(3, 100L);
      }
      transaction.commit();
    }
  }

  private static List<Object> numbers(List<DataObject> objects) {
    return objects.stream().map(object -> object.get(2)).toList();
  }

  private DataObject one(Transaction transaction, int number) throws Exception {
    List<DataObject> found = transaction.query("SELECT FROM Customer WHERE customerNo = ?", number);
    assertEquals(1, found.size());
    return found.get(0);
  }

  @Test
  void whatIsCommittedIsFoundByOthers() throws Exception {
    ObjectManager manager = manager(Topologies.direct("ds1", "ds1"));
    insert(manager, 3, 1, 2);
    ObjectManager other = manager(Topologies.direct("ds1", "ds1"));
    try (Transaction transaction = other.begin()) {
      String text =
          "SELECT FROM Customer WHERE customerNo BETWEEN ? AND ? ORDER BY customerNo DESC";
      assertEquals(List.of(2, 1), numbers(transaction.query(text, 1, 2)));
      one(transaction, 3).delete();
      one(transaction, 1).set(1, "phone");
      assertEquals(List.of(2, 1), numbers(transaction.query(text, 1, 9)));
      transaction.commit();
    }
    try (Transaction transaction = manager.begin()) {
      assertEquals("phone", one(transaction, 1).get(1));
      assertEquals(2, transaction.query("SELECT FROM Customer").size());
    }
  }

  @Test
  void whatIsRolledBackIsNotThere() throws Exception {
    ObjectManager manager = manager(Topologies.direct("ds1", "ds1"));
    try (Transaction transaction = manager.begin()) {
      transaction.insert(customer).set(2, 1);
    }
    try (Transaction transaction = manager.begin()) {
      assertTrue(transaction.query("SELECT FROM Customer").isEmpty());
    }
  }

  @Test
  void readsAreRepeatable() throws Exception {
    ObjectManager manager = manager(Topologies.direct("ds1", "ds1"));
    insert(manager, 1);
    try (Transaction reading = manager.begin();
        Transaction writing = manager.begin()) {
      DataObject first = one(reading, 1);
      one(writing, 1).set(1, "new");
      writing.commit();
      assertNull(first.get(1));
      assertNull(one(reading, 1).get(1), "in a query, too");
      reading.reload(first);
      assertEquals("new", first.get(1), "unless it is asked for anew");
    }
  }

  @Test
  void ofTwoThatWriteOneObjectTheSecondIsAborted() throws Exception {
    ObjectManager manager = manager(Topologies.direct("ds1", "ds1"));
    insert(manager, 1);
    try (Transaction one = manager.begin();
        Transaction other = manager.begin()) {
      one(one, 1).set(1, "one");
      one(other, 1).set(1, "other");
      one.commit();
      TransactionException aborted = assertThrows(TransactionException.class, other::commit);
      assertEquals(End.VERSION, aborted.end());
    }
    try (Transaction transaction = manager.begin()) {
      assertEquals("one", one(transaction, 1).get(1));
    }
  }

  @Test
  void allWritesOfATransactionAreThereOrNone() throws Exception {
    ObjectManager manager = manager(Topologies.direct("ds1", "ds1"));
    insert(manager, 1, 2);
    try (Transaction one = manager.begin();
        Transaction other = manager.begin()) {
      one(one, 1).set(1, "one");
      one(one, 2).set(1, "one");
      one(other, 2).set(1, "other");
      other.commit();
      assertThrows(TransactionException.class, one::commit);
    }
    try (Transaction transaction = manager.begin()) {
      assertNull(one(transaction, 1).get(1));
      assertEquals("other", one(transaction, 2).get(1));
    }
  }

  @Test
  void deltaWritesWithPredicatesDoNotAbortOneAnother() throws Exception {
    ObjectManager manager = manager(Topologies.direct("ds1", "ds1"));
    insert(manager, 1);
    try (Transaction one = manager.begin();
        Transaction other = manager.begin();
        Transaction third = manager.begin()) {
      for (Transaction transaction : List.of(one, other, third)) {
        DataObject object = one(transaction, 1);
        object.add(3, -40);
        object.checkPredicate("balance - 40 >= 0");
        assertEquals(60L, object.get(3));
      }
      one.commit();
      other.commit();
      assertEquals(End.PREDICATE, assertThrows(TransactionException.class, third::commit).end());
    }
    try (Transaction transaction = manager.begin()) {
      assertEquals(20L, one(transaction, 1).get(3));
    }
  }

  @Test
  void anExistenceCheckMindsDeletionOnly() throws Exception {
    ObjectManager manager = manager(Topologies.direct("ds1", "ds1"));
    insert(manager, 1);
    try (Transaction one = manager.begin();
        Transaction other = manager.begin();
        Transaction deleting = manager.begin();
        Transaction late = manager.begin()) {
      DataObject unconditional = one(one, 1);
      unconditional.set(1, "one");
      unconditional.checkExistence();
      DataObject later = one(late, 1);
      later.set(1, "late");
      later.checkExistence();
      one(other, 1).set(0, "other");
      other.commit();
      one.commit();
      one(deleting, 1).delete();
      deleting.commit();
      assertEquals(End.VERSION, assertThrows(TransactionException.class, late::commit).end());
    }
  }

  @Test
  void referencesAreFollowedToTheirOwners() throws Exception {
    ObjectManager manager = manager(Topologies.direct("I(ds1, ds2)", "ds1", "ds2"));
    ObjectType landlord = topology.schema().type("Landlord");
    ObjectType accommodation = topology.schema().type("Accommodation");
    for (int i = 0; i < 20; i++) {
      try (Transaction transaction = manager.begin()) {
        DataObject owner = transaction.insert(landlord);
        owner.set(0, "landlord " + i);
        transaction.commit();
      }
    }
    List<DataObject> owners;
    try (Transaction transaction = manager.begin()) {
      owners = transaction.query("SELECT FROM Landlord ORDER BY name");
      assertEquals(20, owners.size());
      assertEquals(2, owners.stream().map(owner -> owner.read().store()).distinct().count());
      DataObject house = transaction.insert(accommodation);
      house.refer(4, owners.get(7));
      house.set(0, 49);
      transaction.commit();
    }
    ObjectManager other = manager(Topologies.direct("I(ds1, ds2)", "ds1", "ds2"));
    try (Transaction transaction = other.begin()) {
      List<DataObject> found =
          transaction.query("SELECT FROM Accommodation WHERE countryCode = 49");
      DataObject owner = found.get(0).follow(4);
      assertNotNull(owner);
      assertEquals(owners.get(7).oid(), owner.oid());
    }
  }

  @Test
  void resultsOfSeveralStoresAreMergedInTheirOrder() throws Exception {
    ObjectManager manager = manager(Topologies.direct("I(ds1, ds2, ds3)", "ds1", "ds2", "ds3"));
    for (int i = 0; i < 30; i++) {
      insert(manager, 29 - i);
    }
    try (Transaction transaction = manager.begin()) {
      List<DataObject> found = transaction.query("SELECT FROM Customer ORDER BY customerNo");
      assertEquals(java.util.stream.IntStream.range(0, 30).boxed().toList(), numbers(found));
    }
  }

  @Test
  void aDomainOfWhichNotAllCopiesAreImportedCanOnlyBeRead() throws Exception {
    ObjectManager manager = manager(Topologies.direct("ds1", "ds1"));
    insert(manager, 1);
    String partly =
        Topologies.direct("R(ds1, ds2)", "ds1")
            + """
              other:
                id: 100
                connections:
                  - {adapter: jdbc, store: ds2, imports: [all@ds2]}
            """;
    ObjectManager reader = manager(partly);
    try (Transaction transaction = reader.begin()) {
      DataObject object = one(transaction, 1);
      object.set(1, "changed");
      TransactionException refused = assertThrows(TransactionException.class, transaction::commit);
      assertTrue(refused.getMessage().contains("can only be read here"), refused.getMessage());
    }
    try (Transaction transaction = reader.begin()) {
      assertThrows(TransactionException.class, () -> transaction.insert(customer));
    }
  }
}
