package org.modelstress.topology.work;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.modelstress.topology.Processes;
import org.modelstress.topology.check.StoreCheck;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.datasets.Dataset;
import org.modelstress.topology.manager.DataObject;
import org.modelstress.topology.manager.ObjectManager;
import org.modelstress.topology.manager.Transaction;
import org.modelstress.topology.manager.TransactionException;
import org.modelstress.topology.objects.Accommodation;
import org.modelstress.topology.objects.Customer;
import org.modelstress.topology.objects.Reservation;
import org.modelstress.topology.wire.Reply.End;

class CalendarTest {
  private static final int DAYS = 60;

  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private Map<String, String> urls;
  private Topology topology;
  private ObjectManager client;

  @BeforeEach
  void begin() throws Exception {
    topology = Processes.topology("one-store", "market-2");
    urls = Map.of("ds1", Processes.store("ds1", open));
    Dataset market =
        Dataset.of("marketplace-9", Map.of("accommodations", 201, "landlords", 1, "customers", 3));
    Processes.load(topology, urls, market);
    Processes processes = new Processes(topology, urls, null);
    open.push(processes);
    client = processes.client(topology.manager("client"), 0);
  }

  @AfterEach
  void end() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }

  private Accommodation house(Transaction transaction) throws TransactionException {
    return new Accommodation(transaction.query("SELECT FROM Accommodation").get(0));
  }

  private Calendar calendar(Transaction transaction) throws TransactionException {
    return new Calendar(topology, transaction, house(transaction));
  }

  private int reserve(int first, int last) throws TransactionException {
    try (Transaction transaction = client.begin()) {
      Customer guest = new Customer(transaction.query("SELECT FROM Customer").get(0));
      int written = calendar(transaction).reserve(first, last, guest);
      transaction.commit();
      return written;
    }
  }

  private BitSet reserved() throws TransactionException {
    BitSet days = new BitSet();
    try (Transaction transaction = client.begin()) {
      List<DataObject> all =
          transaction.query(
              "SELECT FROM Reservation WHERE accommodation = ?", house(transaction).object().oid());
      for (DataObject object : all) {
        Reservation reservation = new Reservation(object);
        if (reservation.hasReservedBy()) {
          days.set(reservation.getFirstDay(), reservation.getLastDay() + 1);
        }
      }
    }
    return days;
  }

  private String problem() throws Exception {
    return StoreCheck.problem(topology, urls, "marketplace-9");
  }

  @Test
  void anyOrderOfReservationsAndCancellationsKeepsTheRules() throws Exception {
    Random random = new Random(11);
    int cancelled = 0;
    for (int i = 0; i < 150; i++) {
      BitSet before = reserved();
      if (random.nextInt(3) > 0) {
        int first = random.nextInt(DAYS);
        int last = first + random.nextInt(6);
        BitSet wanted = new BitSet();
        wanted.set(first, last + 1);
        assertEquals(!wanted.intersects(before), reserve(first, last) > 0);
        if (!wanted.intersects(before)) {
          before.or(wanted);
        }
        assertEquals(before, reserved());
      } else {
        try (Transaction transaction = client.begin()) {
          int written = calendar(transaction).cancel(random);
          assertEquals(before.isEmpty(), written == 0);
          transaction.commit();
          cancelled += written > 0 ? 1 : 0;
        }
        BitSet left = reserved();
        BitSet gone = (BitSet) before.clone();
        gone.andNot(left);
        assertTrue(before.isEmpty() || !gone.isEmpty());
        left.andNot(before);
        assertTrue(left.isEmpty());
      }
      assertNull(problem());
    }
    assertTrue(cancelled > 20);
  }

  @Test
  void neighboursThatAreCancelledAtOnceDoNotLeaveFreeDaysSideBySide() throws Exception {
    reserve(0, 4);
    reserve(5, 9);
    try (Transaction one = client.begin();
        Transaction other = client.begin()) {
      calendar(one).cancel(new First());
      calendar(other).cancel(new Last());
      one.commit();
      assertEquals(End.VERSION, assertThrows(TransactionException.class, other::commit).end());
    }
    assertNull(problem());
    BitSet left = reserved();
    assertEquals(5, left.cardinality());
  }

  /** What cancelling is protected against: repeatable reads alone allow it. */
  @Test
  void writeSkewIsPossibleWhereNeighboursAreNotWritten() throws Exception {
    reserve(0, 4);
    reserve(5, 9);
    try (Transaction one = client.begin();
        Transaction other = client.begin()) {
      String query = "SELECT FROM Reservation WHERE firstDay = ? AND lastDay = ?";
      new Reservation(one.query(query, 0, 4).get(0)).setReservedBy(null);
      new Reservation(other.query(query, 5, 9).get(0)).setReservedBy(null);
      one.commit();
      other.commit();
    }
    assertTrue(problem().contains("free days stand side by side"), problem());
  }

  @Test
  void daysThatAreReservedAtOnceAreGivenOnce() throws Exception {
    try (Transaction one = client.begin();
        Transaction other = client.begin()) {
      Customer guest = new Customer(one.query("SELECT FROM Customer").get(0));
      Customer guestOfOther = new Customer(other.query("SELECT FROM Customer").get(1));
      assertEquals(3, calendar(one).reserve(10, 12, guest));
      assertEquals(3, calendar(other).reserve(12, 14, guestOfOther));
      one.commit();
      assertThrows(TransactionException.class, other::commit);
    }
    assertNull(problem());
    assertEquals(3, reserved().cardinality());
  }

  /** Takes the first of those among which is chosen. */
  private static final class First extends Random {
    private static final long serialVersionUID = 1L;

    @Override
    public int nextInt(int bound) {
      return 0;
    }
  }

  /** Takes the last one. */
  private static final class Last extends Random {
    private static final long serialVersionUID = 1L;

    @Override
    public int nextInt(int bound) {
      return bound - 1;
    }
  }
}
