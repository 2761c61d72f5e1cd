package org.modelstress.benchmarks.common;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EStructuralFeature;

/**
 * The queries of the Train Benchmark as one would write them in Java over the EMF model: what the
 * queries of a tool are compared with. Nothing is kept between calls; the elements of a type are
 * found by walking the containment.
 */
public final class PlainTrain {
  private final EObject container;
  private final EClass segmentClass;
  private final EClass switchClass;
  private final EStructuralFeature routes;
  private final EStructuralFeature regions;
  private final EStructuralFeature sensors;
  private final EStructuralFeature elements;
  private final EStructuralFeature active;
  private final EStructuralFeature follows;
  private final EStructuralFeature requires;
  private final EStructuralFeature entry;
  private final EStructuralFeature exit;
  private final EStructuralFeature monitors;
  private final EStructuralFeature monitoredBy;
  private final EStructuralFeature connectsTo;
  private final EStructuralFeature length;
  private final EStructuralFeature currentPosition;
  private final EStructuralFeature position;
  private final EStructuralFeature target;
  private final EStructuralFeature signal;
  private final Object go;

  /** Over a model; its root. */
  public PlainTrain(EObject container) {
    this.container = container;
    EPackage metamodel = container.eClass().getEPackage();
    segmentClass = type(metamodel, "Segment");
    switchClass = type(metamodel, "Switch");
    routes = container.eClass().getEStructuralFeature("routes");
    regions = container.eClass().getEStructuralFeature("regions");
    sensors = type(metamodel, "Region").getEStructuralFeature("sensors");
    elements = type(metamodel, "Region").getEStructuralFeature("elements");
    EClass route = type(metamodel, "Route");
    active = route.getEStructuralFeature("active");
    follows = route.getEStructuralFeature("follows");
    requires = route.getEStructuralFeature("requires");
    entry = route.getEStructuralFeature("entry");
    exit = route.getEStructuralFeature("exit");
    monitors = type(metamodel, "Sensor").getEStructuralFeature("monitors");
    monitoredBy = type(metamodel, "TrackElement").getEStructuralFeature("monitoredBy");
    connectsTo = type(metamodel, "TrackElement").getEStructuralFeature("connectsTo");
    length = segmentClass.getEStructuralFeature("length");
    currentPosition = switchClass.getEStructuralFeature("currentPosition");
    position = type(metamodel, "SwitchPosition").getEStructuralFeature("position");
    target = type(metamodel, "SwitchPosition").getEStructuralFeature("target");
    signal = type(metamodel, "Semaphore").getEStructuralFeature("signal");
    go = ((org.eclipse.emf.ecore.EEnum) metamodel.getEClassifier("Signal")).getEEnumLiteral("GO");
  }

  private static EClass type(EPackage metamodel, String name) {
    return (EClass) metamodel.getEClassifier(name);
  }

  @SuppressWarnings("unchecked")
  private static List<EObject> many(EObject from, EStructuralFeature reference) {
    return (List<EObject>) from.eGet(reference);
  }

  private static EObject one(EObject from, EStructuralFeature reference) {
    return (EObject) from.eGet(reference);
  }

  /**
   * The elements of all matches one after the other, in the tuple order of the query.
   *
   * @throws IllegalArgumentException if there is no such query
   */
  public List<EObject> matches(String query) {
    List<EObject> found = new ArrayList<>();
    switch (query) {
      case "PosLength" -> posLength(found);
      case "SwitchMonitored" -> switchMonitored(found);
      case "RouteSensor" -> routeSensor(found);
      case "SwitchSet" -> switchSet(found);
      case "ConnectedSegments" -> connectedSegments(found);
      case "SemaphoreNeighbor" -> semaphoreNeighbor(found);
      default -> throw new IllegalArgumentException("no query " + query);
    }
    return found;
  }

  private void posLength(List<EObject> found) {
    for (EObject region : many(container, regions)) {
      for (EObject element : many(region, elements)) {
        if (element.eClass() == segmentClass && (int) element.eGet(length) <= 0) {
          found.add(element);
        }
      }
    }
  }

  private void switchMonitored(List<EObject> found) {
    for (EObject region : many(container, regions)) {
      for (EObject element : many(region, elements)) {
        if (element.eClass() == switchClass && many(element, monitoredBy).isEmpty()) {
          found.add(element);
        }
      }
    }
  }

  private void routeSensor(List<EObject> found) {
    for (EObject route : many(container, routes)) {
      List<EObject> required = many(route, requires);
      for (EObject swP : many(route, follows)) {
        EObject sw = one(swP, target);
        if (sw == null) {
          continue;
        }
        for (EObject sensor : many(sw, monitoredBy)) {
          if (!required.contains(sensor)) {
            add(found, route, sensor, swP, sw);
          }
        }
      }
    }
  }

  private void switchSet(List<EObject> found) {
    for (EObject route : many(container, routes)) {
      EObject semaphore = one(route, entry);
      if (semaphore == null || !(boolean) route.eGet(active) || semaphore.eGet(signal) != go) {
        continue;
      }
      for (EObject swP : many(route, follows)) {
        EObject sw = one(swP, target);
        if (sw != null && sw.eGet(currentPosition) != swP.eGet(position)) {
          add(found, semaphore, route, swP, sw);
        }
      }
    }
  }

  private void connectedSegments(List<EObject> found) {
    EObject[] chain = new EObject[7];
    for (EObject region : many(container, regions)) {
      for (EObject sensor : many(region, sensors)) {
        chain[0] = sensor;
        for (EObject element : many(sensor, monitors)) {
          if (element.eClass() == segmentClass) {
            chain[1] = element;
            extend(chain, 2, found);
          }
        }
      }
    }
  }

  private void extend(EObject[] chain, int size, List<EObject> found) {
    if (size == chain.length) {
      add(found, chain);
      return;
    }
    for (EObject next : many(chain[size - 1], connectsTo)) {
      if (next.eClass() == segmentClass && many(next, monitoredBy).contains(chain[0])) {
        chain[size] = next;
        extend(chain, size + 1, found);
      }
    }
  }

  private void semaphoreNeighbor(List<EObject> found) {
    Map<EObject, List<EObject>> requiredBy = new HashMap<>();
    for (EObject route : many(container, routes)) {
      for (EObject sensor : many(route, requires)) {
        requiredBy.computeIfAbsent(sensor, s -> new ArrayList<>()).add(route);
      }
    }
    for (EObject route1 : many(container, routes)) {
      EObject semaphore = one(route1, exit);
      if (semaphore == null) {
        continue;
      }
      for (EObject sensor1 : many(route1, requires)) {
        for (EObject te1 : many(sensor1, monitors)) {
          for (EObject te2 : many(te1, connectsTo)) {
            for (EObject sensor2 : many(te2, monitoredBy)) {
              for (EObject route2 : requiredBy.getOrDefault(sensor2, List.of())) {
                if (route2 != route1 && one(route2, entry) != semaphore) {
                  add(found, semaphore, route1, route2, sensor1, sensor2, te1, te2);
                }
              }
            }
          }
        }
      }
    }
  }

  private static void add(List<EObject> found, EObject... match) {
    for (EObject part : match) {
      found.add(part);
    }
  }
}
