package org.modelstress.models.train;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;

/**
 * The six queries of the Train Benchmark in plain Java: a third opinion beside OCL and EOL, fast
 * enough for the largest models because it follows {@code requires} and {@code exit} backwards.
 */
public final class TrainMatcher {
  private final Map<EClass, List<EObject>> instances = new HashMap<>();
  private final Map<String, Query> queries = new LinkedHashMap<>();

  private record Query(int arity, Supplier<List<EObject>> matches) {}

  /**
   * Collects the elements below {@code root}.
   *
   * @throws IllegalArgumentException if it is not a RailwayContainer
   */
  public TrainMatcher(EObject root) {
    if (!accepts(root)) {
      throw new IllegalArgumentException("Not a Train Benchmark model: " + root.eClass().getName());
    }
    root.eAllContents()
        .forEachRemaining(
            e -> instances.computeIfAbsent(e.eClass(), c -> new ArrayList<>()).add(e));
    queries.put("PosLength", new Query(1, this::posLength));
    queries.put("SwitchMonitored", new Query(1, this::switchMonitored));
    queries.put("RouteSensor", new Query(4, this::routeSensor));
    queries.put("SwitchSet", new Query(4, this::switchSet));
    queries.put("ConnectedSegments", new Query(7, this::connectedSegments));
    queries.put("SemaphoreNeighbor", new Query(7, this::semaphoreNeighbor));
  }

  /** Whether {@code root} is the root of a Train Benchmark model. */
  public static boolean accepts(EObject root) {
    return root.eClass() == Train.CONTAINER;
  }

  /** The names of the queries. */
  public List<String> queries() {
    return List.copyOf(queries.keySet());
  }

  /**
   * Elements per match of a query.
   *
   * @throws IllegalArgumentException if there is no such query
   */
  public int arity(String query) {
    return known(query).arity();
  }

  /**
   * Evaluates a query.
   *
   * @return the elements of all matches one after the other, in the tuple order of the query
   * @throws IllegalArgumentException if there is no such query
   */
  public List<EObject> matches(String query) {
    return known(query).matches().get();
  }

  private Query known(String query) {
    Query known = queries.get(query);
    if (known == null) {
      throw new IllegalArgumentException("Unknown query " + query + "; known are " + queries());
    }
    return known;
  }

  private List<EObject> posLength() {
    List<EObject> found = new ArrayList<>();
    for (EObject segment : all(Train.SEGMENT)) {
      if ((int) segment.eGet(Train.LENGTH) <= 0) {
        found.add(segment);
      }
    }
    return found;
  }

  private List<EObject> switchMonitored() {
    List<EObject> found = new ArrayList<>();
    for (EObject sw : all(Train.SWITCH)) {
      if (many(sw, Train.MONITORED_BY).isEmpty()) {
        found.add(sw);
      }
    }
    return found;
  }

  private List<EObject> routeSensor() {
    List<EObject> found = new ArrayList<>();
    for (EObject route : all(Train.ROUTE)) {
      List<EObject> required = many(route, Train.REQUIRES);
      for (EObject swP : many(route, Train.FOLLOWS)) {
        EObject sw = one(swP, Train.TARGET);
        if (sw == null) {
          continue;
        }
        for (EObject sensor : many(sw, Train.MONITORED_BY)) {
          if (!required.contains(sensor)) {
            found.addAll(List.of(route, sensor, swP, sw));
          }
        }
      }
    }
    return found;
  }

  private List<EObject> switchSet() {
    List<EObject> found = new ArrayList<>();
    Object go = Train.SIGNAL.getEEnumLiteral("GO");
    for (EObject route : all(Train.ROUTE)) {
      EObject entry = one(route, Train.ENTRY);
      if (entry == null
          || !(boolean) route.eGet(Train.ACTIVE)
          || entry.eGet(Train.SEMAPHORE_SIGNAL) != go) {
        continue;
      }
      for (EObject swP : many(route, Train.FOLLOWS)) {
        EObject sw = one(swP, Train.TARGET);
        if (sw != null
            && sw.eGet(Train.CURRENT_POSITION) != swP.eGet(Train.SWITCH_POSITION_POSITION)) {
          found.addAll(List.of(entry, route, swP, sw));
        }
      }
    }
    return found;
  }

  private List<EObject> connectedSegments() {
    List<EObject> found = new ArrayList<>();
    for (EObject sensor : all(Train.SENSOR)) {
      for (EObject element : many(sensor, Train.MONITORS)) {
        if (element.eClass() == Train.SEGMENT) {
          extendChain(List.of(sensor, element), found);
        }
      }
    }
    return found;
  }

  /**
   * Adds every chain that begins with {@code chain}, a sensor and one to six connected segments.
   */
  private static void extendChain(List<EObject> chain, List<EObject> found) {
    if (chain.size() == 7) {
      found.addAll(chain);
      return;
    }
    for (EObject next : many(chain.get(chain.size() - 1), Train.CONNECTS_TO)) {
      if (next.eClass() == Train.SEGMENT && many(next, Train.MONITORED_BY).contains(chain.get(0))) {
        List<EObject> longer = new ArrayList<>(chain);
        longer.add(next);
        extendChain(longer, found);
      }
    }
  }

  private List<EObject> semaphoreNeighbor() {
    Map<EObject, List<EObject>> requiredBy = new IdentityHashMap<>();
    for (EObject route : all(Train.ROUTE)) {
      for (EObject sensor : many(route, Train.REQUIRES)) {
        requiredBy.computeIfAbsent(sensor, s -> new ArrayList<>()).add(route);
      }
    }
    List<EObject> found = new ArrayList<>();
    for (EObject route1 : all(Train.ROUTE)) {
      EObject semaphore = one(route1, Train.EXIT);
      if (semaphore == null) {
        continue;
      }
      for (EObject sensor1 : many(route1, Train.REQUIRES)) {
        for (EObject te1 : many(sensor1, Train.MONITORS)) {
          for (EObject te2 : many(te1, Train.CONNECTS_TO)) {
            for (EObject sensor2 : many(te2, Train.MONITORED_BY)) {
              for (EObject route2 : requiredBy.getOrDefault(sensor2, List.of())) {
                if (route2 != route1 && one(route2, Train.ENTRY) != semaphore) {
                  found.addAll(List.of(semaphore, route1, route2, sensor1, sensor2, te1, te2));
                }
              }
            }
          }
        }
      }
    }
    return found;
  }

  private List<EObject> all(EClass type) {
    return instances.getOrDefault(type, List.of());
  }

  private static EObject one(EObject from, EReference reference) {
    return (EObject) from.eGet(reference);
  }

  @SuppressWarnings("unchecked")
  private static List<EObject> many(EObject from, EReference reference) {
    return (List<EObject>) from.eGet(reference);
  }
}
