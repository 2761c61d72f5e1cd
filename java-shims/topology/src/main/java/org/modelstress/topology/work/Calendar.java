package org.modelstress.topology.work;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.datasets.Marketplace;
import org.modelstress.topology.manager.DataObject;
import org.modelstress.topology.manager.Transaction;
import org.modelstress.topology.manager.TransactionException;
import org.modelstress.topology.objects.Accommodation;
import org.modelstress.topology.objects.Customer;
import org.modelstress.topology.objects.Reservation;
import org.modelstress.topology.schema.ObjectType;

/**
 * Reservations of an accommodation in a transaction (Free Data Objects, 7.1.1). Together they have
 * all days from 0 to {@link Marketplace#LAST_DAY}, each day once; days that nobody has reserved are
 * a reservation without a customer, and of those no two stand side by side.
 *
 * <p>Version checks keep it so. Who reserves writes to the free days that are taken. Who cancels
 * writes to both neighbours, also to one that stays as it is: somebody else may be cancelling that
 * one, and repeatable reads alone would let both leave free days side by side (write skew).
 */
final class Calendar {
  private static final String WITH_DAYS =
      "SELECT FROM Reservation WHERE accommodation = ? AND firstDay <= ? AND lastDay >= ?";
  private static final String ALL =
      "SELECT FROM Reservation WHERE accommodation = ? ORDER BY firstDay";

  private final Transaction transaction;
  private final ObjectType type;
  private final Accommodation accommodation;

  Calendar(Topology topology, Transaction transaction, Accommodation accommodation) {
    this.transaction = transaction;
    this.type = topology.schema().type(Reservation.TYPE);
    this.accommodation = accommodation;
  }

  /** Makes all days free, of a new accommodation. */
  void open() throws TransactionException {
    add(0, Marketplace.LAST_DAY, null);
  }

  /**
   * Reserves some days.
   *
   * @return objects that are written; 0 where the days are not all free
   */
  int reserve(int first, int last, Customer guest) throws TransactionException {
    List<DataObject> found =
        transaction.query(WITH_DAYS, accommodation.object().oid(), first, last);
    if (found.size() != 1 || new Reservation(found.get(0)).hasReservedBy()) {
      return 0;
    }
    Reservation free = new Reservation(found.get(0));
    int before = free.getFirstDay();
    int after = free.getLastDay();
    free.setFirstDay(first);
    free.setLastDay(last);
    free.setReservedBy(guest);
    int written = 1;
    if (before < first) {
      add(before, first - 1, null);
      written++;
    }
    if (last < after) {
      add(last + 1, after, null);
      written++;
    }
    return written;
  }

  /**
   * Cancels a reservation, a random one.
   *
   * @return objects that are written; 0 where nothing is reserved, or others wrote while the
   *     reservations were read from several stores
   */
  int cancel(Random random) throws TransactionException {
    List<Reservation> all =
        transaction.query(ALL, accommodation.object().oid()).stream()
            .map(Reservation::new)
            .toList();
    int[] reserved =
        IntStream.range(0, all.size()).filter(i -> all.get(i).hasReservedBy()).toArray();
    if (reserved.length == 0 || !areWhole(all)) {
      return 0;
    }
    int at = reserved[random.nextInt(reserved.length)];
    Reservation before = at == 0 ? null : all.get(at - 1);
    Reservation after = at == all.size() - 1 ? null : all.get(at + 1);
    free(before, all.get(at), after);
    return 1 + (before == null ? 0 : 1) + (after == null ? 0 : 1);
  }

  private static void free(Reservation before, Reservation cancelled, Reservation after) {
    int last = cancelled.getLastDay();
    if (after != null && !after.hasReservedBy()) {
      last = after.getLastDay();
      after.object().delete();
    } else if (after != null) {
      after.setLastDay(after.getLastDay());
    }
    if (before != null && !before.hasReservedBy()) {
      before.setLastDay(last);
      cancelled.object().delete();
      return;
    }
    if (before != null) {
      before.setLastDay(before.getLastDay());
    }
    cancelled.setLastDay(last);
    cancelled.setReservedBy(null);
  }

  private static boolean areWhole(List<Reservation> all) {
    int due = 0;
    for (Reservation each : all) {
      if (each.getFirstDay() != due) {
        return false;
      }
      due = each.getLastDay() + 1;
    }
    return due == Marketplace.LAST_DAY + 1;
  }

  private void add(int first, int last, Customer guest) throws TransactionException {
    Reservation added = new Reservation(transaction.insert(type));
    added.setAccommodation(accommodation);
    added.setFirstDay(first);
    added.setLastDay(last);
    added.setReservedBy(guest);
  }
}
