package org.modelstress.models.train;

import java.util.Locale;
import java.util.Map;

/** How many errors a generated model holds. */
public enum Scenario {
  BATCH(Map.of(), 0),
  INJECT(
      Map.of(
          Fault.CONNECTED_SEGMENTS, 5,
          Fault.POS_LENGTH, 2,
          Fault.ROUTE_SENSOR, 4,
          Fault.SEMAPHORE_NEIGHBOR, 7,
          Fault.SWITCH_MONITORED, 2,
          Fault.SWITCH_SET, 8),
      2),
  REPAIR(
      Map.of(
          Fault.CONNECTED_SEGMENTS, 5,
          Fault.POS_LENGTH, 10,
          Fault.ROUTE_SENSOR, 10,
          Fault.SEMAPHORE_NEIGHBOR, 25,
          Fault.SWITCH_MONITORED, 18,
          Fault.SWITCH_SET, 15),
      1);

  /**
   * A constraint of the benchmark that a generated element may violate. The order is that of the
   * 2017 line's streams: constant k draws from {@code Random(seed + k)}.
   */
  enum Fault {
    CONNECTED_SEGMENTS,
    POS_LENGTH,
    ROUTE_SENSOR,
    SEMAPHORE_NEIGHBOR,
    SWITCH_MONITORED,
    SWITCH_SET
  }

  private final Map<Fault, Integer> percent;
  private final int missingLinksPerMille;

  Scenario(Map<Fault, Integer> percent, int missingLinksPerMille) {
    this.percent = percent;
    this.missingLinksPerMille = missingLinksPerMille;
  }

  /** Probability of a fault in percent. */
  int percent(Fault fault) {
    return percent.getOrDefault(fault, 0);
  }

  /** Probability in per mille that a link of the track is left out (2017 line only). */
  int missingLinksPerMille() {
    return missingLinksPerMille;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
