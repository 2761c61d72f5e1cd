package org.modelstress.topology.work;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * What the ferry line tells its clients in scenario 7: which ride everybody moves to, and whose
 * reservation is whose. It stands in the client's process; the chapter's announcements come from a
 * server, by a path of their own that is no part of what is measured.
 */
public final class Shared {
  private final Random random = new Random(7_500);
  private final List<Deque<Long>> hands = new ArrayList<>();
  private long[] rides;
  private int announced;
  private boolean dealt;

  /** Whether rides and reservations are known. */
  synchronized boolean isBegun() {
    return rides != null;
  }

  /** Tells which there are; the first who does gives the first client all reservations. */
  synchronized void begin(long[] allRides, Collection<Long> allReservations) {
    if (rides == null) {
      rides = allRides.clone();
      hands.add(new ArrayDeque<>(allReservations));
      announced = random.nextInt(rides.length);
    }
  }

  /** The reservations of another client: a fair share of those that the others have. */
  synchronized Deque<Long> join() {
    if (hands.size() == 1 && !dealt) {
      dealt = true;
      return hands.get(0);
    }
    Deque<Long> hand = new ArrayDeque<>();
    for (Deque<Long> other : hands) {
      for (int give = other.size() / (hands.size() + 1); give > 0; give--) {
        hand.add(other.remove());
      }
    }
    hands.add(hand);
    return hand;
  }

  /** The ride that everybody moves to. */
  synchronized long ride() {
    return rides[announced];
  }

  /** Announces another ride, unless somebody has done so since {@code full} was announced. */
  synchronized void announceAfter(long full) {
    if (rides[announced] == full) {
      int step = 1 + random.nextInt(rides.length - 1);
      announced = (announced + step) % rides.length;
    }
  }

  /** The next reservation of a client; null where it has none. */
  synchronized Long next(Deque<Long> hand) {
    Long next = hand.poll();
    if (next != null) {
      hand.add(next);
    }
    return next;
  }
}
