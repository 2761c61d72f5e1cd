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
import org.modelstress.topology.objects.Ride;
import org.modelstress.topology.objects.RouteDay;
import org.modelstress.topology.objects.SeatReservation;
import org.modelstress.topology.schema.ObjectType;

/**
 * Moves reservations to the announced ride of a ferry line (Free Data Objects, 7.7): by version
 * checks, of objects that are read anew before, or by delta writes with predicates, of objects that
 * may be a second old.
 *
 * <p>A ride never has more seats than its ferry, and a day on which a reservation leaves for
 * another one keeps its minimum. What a client sees to be against these rules it does not try: it
 * goes on with its next reservation. Where it has none that can be moved, another ride is
 * announced, and the execution is rejected.
 */
public final class FerryWork {
  /** Seats at which a ride counts as full, and another one is announced. */
  private static final int NEARLY_FULL = 10;

  private static final long FRESH_MILLIS = 1_000;

  private final ObjectType reservation;
  private final ObjectType ride;
  private final Shared shared;
  private Deque<Long> hand;

  /** The work of a client. */
  public FerryWork(Topology topology, Shared shared) {
    this.reservation = topology.schema().type(SeatReservation.TYPE);
    this.ride = topology.schema().type(Ride.TYPE);
    this.shared = shared;
  }

  /** Operations by their names; none where the topology has no ferries. */
  public Map<String, Action> actions() {
    return ride == null || reservation == null
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
    for (int tried = 0; tried < hand.size() && target == shared.ride(); tried++) {
      Long moved = shared.next(hand);
      if (moved == null) {
        break; // clients that begin later take from the others
      }
      try (Transaction transaction = begin.get()) {
        transaction.fresh(deltas ? FRESH_MILLIS : Long.MAX_VALUE);
        Move move = read(transaction, moved, target, deltas);
        if (move == null || isRefused(move)) {
          continue; // with the client's next reservation, as long as that ride is announced
        }
        write(move, deltas);
        transaction.commit();
        return Outcome.ok(new Result.Count(move.betweenDays() ? 5 : 3));
      }
    }
    shared.announceAfter(target);
    return Outcome.failed(Kind.REJECTED, "no reservation of the client can be moved to the ride");
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
          .query("SELECT FROM SeatReservation ORDER BY id")
          .forEach(each -> reservations.add(each.oid()));
      shared.begin(rides, reservations);
      hand = shared.join();
    }
  }

  /** What a move is about. */
  private record Move(
      SeatReservation reservation,
      Ride from,
      Ride to,
      RouteDay fromDay,
      RouteDay toDay,
      int capacity) {
    int seats() {
      return reservation.getSeats();
    }

    boolean betweenDays() {
      return fromDay.object() != toDay.object();
    }

    boolean toLaterDay() {
      return toDay.getDay() > fromDay.getDay();
    }
  }

  private Move read(Transaction transaction, long moved, long target, boolean deltas)
      throws TransactionException {
    SeatReservation object = new SeatReservation(transaction.get(reservation, moved));
    Ride from = object.getRide();
    if (from.object().oid() == target) {
      return null;
    }
    Ride to = new Ride(transaction.get(ride, target));
    Move move =
        new Move(object, from, to, from.getRouteDay(), to.getRouteDay(), to.getFerry().getSeats());
    if (!deltas) { // those that everybody writes to
      transaction.reload(from.object());
      transaction.reload(to.object());
      if (move.betweenDays()) {
        transaction.reload(move.fromDay.object());
        transaction.reload(move.toDay.object());
      }
    }
    return move;
  }

  /** Whether the ride would be overbooked, or the day that is left be below its minimum. */
  private boolean isRefused(Move move) {
    int reserved = move.to.getReservedSeats();
    if (move.capacity - reserved <= NEARLY_FULL || reserved + move.seats() > move.capacity) {
      shared.announceAfter(move.to.object().oid());
    }
    return reserved + move.seats() > move.capacity
        || move.toLaterDay() && move.fromDay.getTotal() - move.seats() < move.fromDay.getMinimum();
  }

  private void write(Move move, boolean deltas) {
    move.reservation.setRide(move.to);
    if (deltas) {
      writeDeltas(move);
      return;
    }
    move.from.setReservedSeats(move.from.getReservedSeats() - move.seats());
    move.to.setReservedSeats(move.to.getReservedSeats() + move.seats());
    if (move.betweenDays()) {
      move.fromDay.setTotal(move.fromDay.getTotal() - move.seats());
      move.toDay.setTotal(move.toDay.getTotal() + move.seats());
    }
  }

  private void writeDeltas(Move move) {
    move.from.object().checkExistence();
    move.from.addToReservedSeats(-move.seats());
    move.to.object().checkPredicate("reservedSeats <= ?", move.capacity - move.seats());
    move.to.addToReservedSeats(move.seats());
    if (move.betweenDays()) {
      if (move.toLaterDay()) {
        int least = move.fromDay.getMinimum() + move.seats();
        move.fromDay.object().checkPredicate("total >= ?", least);
      } else {
        move.fromDay.object().checkExistence();
      }
      move.fromDay.addToTotal(-move.seats());
      move.toDay.object().checkExistence();
      move.toDay.addToTotal(move.seats());
    }
  }
}
