package org.modelstress.topology.work;

import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.Outcome.Kind;
import org.modelstress.harness.spi.Result;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.manager.DataObject;
import org.modelstress.topology.manager.Transaction;
import org.modelstress.topology.manager.TransactionException;

/**
 * Moves reservations to the announced ride of a ferry line (Free Data Objects, 7.7): by version
 * checks, of objects that are read anew before, or by delta writes with predicates, of objects that
 * may be a second old.
 *
 * <p>A ride never has more seats than its ferry, and a day on which a reservation leaves for
 * another one keeps its minimum. What a client sees to be against these rules it refuses itself:
 * rejected.
 */
public final class FerryWork {
  /** Seats at which a ride counts as full, and another one is announced. */
  private static final int NEARLY_FULL = 10;

  private static final long FRESH_MILLIS = 1_000;

  private final Places reservation;
  private final Places ride;
  private final Places ferry;
  private final Places day;
  private final Shared shared;
  private Deque<Long> hand;

  /** The work of a client. */
  public FerryWork(Topology topology, Shared shared) {
    this.reservation = Places.of(topology, "Reservation");
    this.ride = Places.of(topology, "Ride");
    this.ferry = Places.of(topology, "Ferry");
    this.day = Places.of(topology, "RouteDay");
    this.shared = shared;
  }

  /** Operations by their names; none where the topology has no ferries. */
  public Map<String, Action> actions() {
    return ride == null || ferry == null || day == null || reservation == null
        ? Map.of()
        : Map.of(
            "move-checking-versions", (begin, parameters) -> move(begin, false),
            "move-by-deltas", (begin, parameters) -> move(begin, true));
  }

  private Outcome move(Supplier<Transaction> begin, boolean deltas) throws TransactionException {
    if (hand == null) {
      lookUp(begin);
    }
    long target = shared.ride();
    Long moved = shared.next(hand);
    if (moved == null) {
      return Outcome.failed(Kind.REJECTED, "the client has no reservations");
    }
    try (Transaction transaction = begin.get()) {
      transaction.fresh(deltas ? FRESH_MILLIS : Long.MAX_VALUE);
      Move move = read(transaction, moved, target, deltas);
      if (move == null) {
        return Outcome.failed(Kind.REJECTED, "the reservation is on that ride");
      }
      String refusal = refusal(move);
      if (refusal != null) {
        return Outcome.failed(Kind.REJECTED, refusal);
      }
      write(move, deltas);
      transaction.commit();
      return Outcome.ok(new Result.Count(move.betweenDays() ? 5 : 3));
    }
  }

  private void lookUp(Supplier<Transaction> begin) throws TransactionException {
    if (shared.isBegun()) {
      hand = shared.join();
      return;
    }
    try (Transaction transaction = begin.get()) {
      long[] rides =
          transaction.query("SELECT FROM Ride ORDER BY id").stream()
              .mapToLong(DataObject::oid)
              .toArray();
      List<Long> reservations = new ArrayList<>();
      transaction
          .query("SELECT FROM Reservation ORDER BY id")
          .forEach(each -> reservations.add(each.oid()));
      shared.begin(rides, reservations);
      hand = shared.join();
    }
  }

  /** What a move is about. */
  private record Move(
      DataObject reservation,
      int seats,
      DataObject from,
      DataObject to,
      int capacity,
      DataObject fromDay,
      DataObject toDay) {
    boolean betweenDays() {
      return fromDay != toDay;
    }
  }

  private Move read(Transaction transaction, long moved, long target, boolean deltas)
      throws TransactionException {
    DataObject object = transaction.get(reservation.type(), moved);
    DataObject from = object.follow(reservation.of("ride"));
    if (from.oid() == target) {
      return null;
    }
    DataObject to = transaction.get(ride.type(), target);
    DataObject fromDay = from.follow(ride.of("routeDay"));
    DataObject toDay = to.follow(ride.of("routeDay"));
    if (!deltas) { // those that everybody writes to
      List<DataObject> hot =
          fromDay == toDay ? List.of(from, to) : List.of(from, to, fromDay, toDay);
      for (DataObject each : hot) {
        transaction.reload(each);
      }
    }
    int capacity = (Integer) to.follow(ride.of("ferry")).get(ferry.of("seats"));
    int seats = (Integer) object.get(reservation.of("seats"));
    return new Move(object, seats, from, to, capacity, fromDay, toDay);
  }

  private String refusal(Move move) {
    int reserved = number(move.to, ride.of("reservedSeats"));
    if (move.capacity - reserved <= NEARLY_FULL) {
      shared.announceAfter(move.to.oid());
    }
    if (reserved + move.seats > move.capacity) {
      shared.announceAfter(move.to.oid());
      return "the ride is full";
    }
    boolean later = number(move.toDay, day.of("day")) > number(move.fromDay, day.of("day"));
    if (later && number(move.fromDay, day.of("total")) - move.seats < minimum(move)) {
      return "the day would be below its minimum";
    }
    return null;
  }

  private int minimum(Move move) {
    return number(move.fromDay, day.of("minimum"));
  }

  private static int number(DataObject object, int place) {
    return ((Number) object.get(place)).intValue();
  }

  private void write(Move move, boolean deltas) {
    move.reservation.refer(reservation.of("ride"), move.to);
    int seats = ride.of("reservedSeats");
    int total = day.of("total");
    if (!deltas) {
      move.from.set(seats, number(move.from, seats) - move.seats);
      move.to.set(seats, number(move.to, seats) + move.seats);
      if (move.betweenDays()) {
        move.fromDay.set(total, number(move.fromDay, total) - move.seats);
        move.toDay.set(total, number(move.toDay, total) + move.seats);
      }
      return;
    }
    move.from.checkExistence();
    move.from.add(seats, -move.seats);
    move.to.checkPredicate("reservedSeats <= ?", move.capacity - move.seats);
    move.to.add(seats, move.seats);
    if (move.betweenDays()) {
      if (number(move.toDay, day.of("day")) > number(move.fromDay, day.of("day"))) {
        move.fromDay.checkPredicate("total >= ?", minimum(move) + move.seats);
      }
      move.fromDay.checkExistence();
      move.fromDay.add(total, -move.seats);
      move.toDay.checkExistence();
      move.toDay.add(total, move.seats);
    }
  }
}
