package org.modelstress.models.train;

import java.util.ArrayList;
import java.util.List;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EEnumLiteral;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.eclipse.emf.ecore.util.InternalEList;
import org.modelstress.models.train.Scenario.Fault;

/**
 * Generates the models of the Train Benchmark (Szárnyas et al., SoSyM 2017), element for element
 * those of the original generator.
 */
public final class TrainGenerator {
  /** The seed of the published models. */
  public static final long DEFAULT_SEED = 19871053;

  /** The largest accepted size: ids stay in 32 bits. */
  public static final int MAX_SIZE = 1_000_000;

  private static final int SEGMENTS_PER_SENSOR = 5;

  private final Draws draws;
  private final int routes;
  private final EObject container = EcoreUtil.create(Train.CONTAINER);
  private final EEnumLiteral go = Train.SIGNAL.getEEnumLiteral("GO");

  private int lastId;
  private EObject firstSemaphore;
  private EObject previousSemaphore;
  private EObject firstOfRing;
  private EObject lastOfPreviousRoute;

  private TrainGenerator(Draws draws, int routes) {
    this.draws = draws;
    this.routes = routes;
  }

  /**
   * Generates a model in memory.
   *
   * @param size 1 to {@link #MAX_SIZE}; a model has five routes per size
   * @return the RailwayContainer, in no resource
   * @throws IllegalArgumentException if the size is out of range
   */
  public static EObject generate(Line line, Scenario scenario, int size, long seed) {
    if (size < 1 || size > MAX_SIZE) {
      throw new IllegalArgumentException("size " + size + " is not between 1 and " + MAX_SIZE);
    }
    return new TrainGenerator(new Draws(line, scenario, seed), 5 * size).run();
  }

  private EObject run() {
    firstSemaphore = semaphore();
    previousSemaphore = firstSemaphore;
    for (int i = 0; i < routes; i++) {
      addRoute(i == routes - 1);
    }
    return container;
  }

  private void addRoute(boolean last) {
    EObject exit = last ? firstSemaphore : semaphore();
    boolean noEntry = draws.fault(Fault.SEMAPHORE_NEIGHBOR);
    EObject route = element(Train.ROUTE);
    route.eSet(Train.ACTIVE, true);
    if (!noEntry) {
      route.eSet(Train.ENTRY, previousSemaphore);
    }
    route.eSet(Train.EXIT, exit);
    add(container, Train.ROUTES, route);
    EObject region = element(Train.REGION);
    add(container, Train.REGIONS, region);

    List<EObject> track = new ArrayList<>();
    int switches = draws.switches();
    for (int i = 0; i < switches; i++) {
      addSwitch(route, region, track, exit);
    }
    connect(track, last);
    previousSemaphore = exit;
  }

  private void addSwitch(EObject route, EObject region, List<EObject> track, EObject exit) {
    EObject sw = element(Train.SWITCH);
    add(region, Train.ELEMENTS, sw);
    track.add(sw);
    int sensors = draws.sensors();
    for (int i = 0; i < sensors; i++) {
      addSensor(route, region, sw, track, exit);
    }
    int position = draws.position();
    sw.eSet(Train.CURRENT_POSITION, Train.POSITION.getEEnumLiteral(position));
    int set = draws.fault(Fault.SWITCH_SET) ? 2 - position : position;
    EObject switchPosition = element(Train.SWITCH_POSITION);
    switchPosition.eSet(Train.SWITCH_POSITION_POSITION, Train.POSITION.getEEnumLiteral(set));
    switchPosition.eSet(Train.TARGET, sw);
    add(route, Train.FOLLOWS, switchPosition);
  }

  private void addSensor(
      EObject route, EObject region, EObject sw, List<EObject> track, EObject exit) {
    EObject sensor = element(Train.SENSOR);
    add(region, Train.SENSORS, sensor);
    if (!draws.fault(Fault.SWITCH_MONITORED)) {
      add(sw, Train.MONITORED_BY, sensor);
      if (!draws.fault(Fault.ROUTE_SENSOR)) {
        add(route, Train.REQUIRES, sensor);
      }
    }
    for (int i = 0; i < SEGMENTS_PER_SENSOR; i++) {
      EObject segment = addSegment(region, sensor, track);
      if (exit.eContainer() == null) {
        // the route's first segment
        add(segment, Train.SEMAPHORES, exit);
      }
    }
    if (draws.fault(Fault.CONNECTED_SEGMENTS)) {
      addSegment(region, sensor, track);
    }
  }

  private EObject addSegment(EObject region, EObject sensor, List<EObject> track) {
    EObject segment = element(Train.SEGMENT);
    segment.eSet(Train.LENGTH, draws.length());
    add(region, Train.ELEMENTS, segment);
    add(segment, Train.MONITORED_BY, sensor);
    track.add(segment);
    return segment;
  }

  /** Chains the track of a route, ties it to the previous one and closes the ring. */
  private void connect(List<EObject> track, boolean last) {
    int n = track.size();
    for (int j = 1; j < n; j++) {
      if (!draws.missingLink()) {
        add(track.get(j - 1), Train.CONNECTS_TO, track.get(j));
      }
      if (track.get(j).eClass() == Train.SWITCH) {
        draws.unusedDraw(n - j);
      }
    }
    if (firstOfRing == null) {
      firstOfRing = track.get(0);
    } else {
      add(lastOfPreviousRoute, Train.CONNECTS_TO, track.get(0));
    }
    lastOfPreviousRoute = track.get(n - 1);
    if (last) {
      add(lastOfPreviousRoute, Train.CONNECTS_TO, firstOfRing);
    }
  }

  private EObject semaphore() {
    EObject semaphore = element(Train.SEMAPHORE);
    semaphore.eSet(Train.SEMAPHORE_SIGNAL, go);
    return semaphore;
  }

  private EObject element(EClass type) {
    EObject element = EcoreUtil.create(type);
    element.eSet(Train.ID, ++lastId);
    return element;
  }

  /** Appends a link that is known to be new, so the list is not searched for it. */
  @SuppressWarnings("unchecked")
  private static void add(EObject from, EReference reference, EObject to) {
    ((InternalEList<EObject>) from.eGet(reference)).addUnique(to);
  }
}
