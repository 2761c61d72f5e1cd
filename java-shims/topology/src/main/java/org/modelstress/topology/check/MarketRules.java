package org.modelstress.topology.check;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.modelstress.topology.datasets.Marketplace;

/**
 * The marketplace (Free Data Objects, 7.1.1): reservations of an accommodation have every day once,
 * free days do not stand side by side, and what is referred to is there. Its objects may be in any
 * stores.
 */
final class MarketRules {
  private record Days(long first, long last, Long customer) {}

  private MarketRules() {}

  static String everyDayOnce(OpenStores stores) throws SQLException {
    Map<Long, List<Days>> ofAccommodation = new HashMap<>();
    for (Long oid : stores.objects("Accommodation").keySet()) {
      ofAccommodation.put(oid, new ArrayList<>());
    }
    for (Map.Entry<Long, List<Object>> reservation :
        stores
            .objects("Reservation", "accommodation", "firstDay", "lastDay", "reservedBy")
            .entrySet()) {
      List<Object> values = reservation.getValue();
      List<Days> days = ofAccommodation.get((Long) values.get(0));
      if (days == null) {
        return "reservation " + reservation.getKey() + " is of an accommodation that is not there";
      }
      days.add(new Days(whole(values.get(1)), whole(values.get(2)), (Long) values.get(3)));
    }
    for (Map.Entry<Long, List<Days>> entry : ofAccommodation.entrySet()) {
      String broken = broken(entry.getValue());
      if (broken != null) {
        return "accommodation " + entry.getKey() + ": " + broken;
      }
    }
    return null;
  }

  private static long whole(Object number) {
    return ((Number) number).longValue();
  }

  private static String broken(List<Days> all) {
    all.sort(Comparator.comparingLong(Days::first));
    long due = 0;
    boolean free = false;
    for (Days days : all) {
      if (days.first != due || days.last < days.first) {
        return "day "
            + due
            + " is due where a reservation has days "
            + days.first
            + " to "
            + days.last;
      }
      if (free && days.customer == null) {
        return "free days stand side by side at day " + due;
      }
      free = days.customer == null;
      due = days.last + 1;
    }
    return due == Marketplace.LAST_DAY + 1 ? null : "its reservations end before day " + due;
  }

  static String whatIsReferredToIsThere(OpenStores stores) throws SQLException {
    Set<Long> landlords = stores.objects("Landlord").keySet();
    for (Map.Entry<Long, List<Object>> each :
        stores.objects("Accommodation", "landlord").entrySet()) {
      if (!landlords.contains((Long) each.getValue().get(0))) {
        return "accommodation " + each.getKey() + " has a landlord who is not there";
      }
    }
    Set<Long> customers = stores.objects("Customer").keySet();
    for (Map.Entry<Long, List<Object>> each :
        stores.objects("Reservation", "reservedBy").entrySet()) {
      Long by = (Long) each.getValue().get(0);
      if (by != null && !customers.contains(by)) {
        return "reservation " + each.getKey() + " is of a customer who is not there";
      }
    }
    return null;
  }
}
