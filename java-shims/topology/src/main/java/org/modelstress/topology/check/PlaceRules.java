package org.modelstress.topology.check;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.modelstress.topology.config.Domain;
import org.modelstress.topology.schema.ObjectType;

/** What is true of any dataset: where its objects are. */
final class PlaceRules {
  private static final String TWICE =
      "SELECT \"customerNo\" FROM \"Customer\" GROUP BY \"customerNo\" HAVING COUNT(*) > 1";

  private PlaceRules() {}

  /** No store has a transaction of which it does not know whether it is committed. */
  static String nothingInDoubt(OpenStores stores) throws SQLException {
    for (String store : stores.names()) {
      if (stores.isPostgres(store)) {
        int doubt = stores.rows(store, "SELECT gid FROM pg_prepared_xacts").size();
        if (doubt > 0) {
          return doubt + " transactions of store " + store + " are in doubt";
        }
      }
    }
    return null;
  }

  /**
   * Stores of one place have the same objects, which are equal; no two places have the same one.
   */
  static String everyObjectInOnePlace(OpenStores stores) throws SQLException {
    for (Domain domain : stores.topology().domains()) {
      for (ObjectType type : domain.definition().keySet()) {
        String broken = places(stores, domain, type);
        if (broken != null) {
          return broken;
        }
      }
    }
    return null;
  }

  private static String places(OpenStores stores, Domain domain, ObjectType type)
      throws SQLException {
    Map<Object, Set<String>> placeOf = new HashMap<>();
    for (Set<String> place : domain.places()) {
      List<String> there = place.stream().filter(stores.names()::contains).sorted().toList();
      List<List<Object>> first = null;
      for (String store : there) {
        List<List<Object>> rows =
            stores.rows(store, "SELECT * FROM \"" + type.name() + "\" ORDER BY \"oid\"");
        if (first == null) {
          first = rows;
        } else if (!first.equals(rows)) {
          return "replicas " + there + " differ: " + difference(type, first, rows);
        }
      }
      for (List<Object> row : first == null ? List.<List<Object>>of() : first) {
        Set<String> other = placeOf.put(row.get(0), place);
        if (other != null) {
          return type + " " + row.get(0) + " is in " + other + " and in " + place;
        }
      }
    }
    return null;
  }

  private static String difference(
      ObjectType type, List<List<Object>> some, List<List<Object>> others) {
    Set<List<Object>> only = new HashSet<>(some);
    others.forEach(only::remove);
    Object oid = only.isEmpty() ? "of one that the first lacks" : only.iterator().next().get(0);
    return "they have " + some.size() + " and " + others.size() + " of " + type + ", not " + oid;
  }

  /** No number belongs to two customers of a store. */
  static String noCustomerTwice(OpenStores stores) throws SQLException {
    for (String store : stores.with("Customer")) {
      List<List<Object>> twice = stores.rows(store, TWICE);
      if (!twice.isEmpty()) {
        return "customer " + twice.get(0).get(0) + " is twice in store " + store;
      }
    }
    return null;
  }
}
