package org.modelstress.models.train;

import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import org.modelstress.models.train.Scenario.Fault;

/**
 * The random decisions of one generated model. In the 2016 line all of them come from one stream,
 * so the order of the calls is part of the benchmark; in the 2017 line every kind has its own.
 */
final class Draws {
  private final Line line;
  private final Scenario scenario;
  private final Map<Fault, Random> faults = new EnumMap<>(Fault.class);
  private final Random switches;
  private final Random sensors;
  private final Random lengths;
  private final Random positions;
  private final Random links;

  Draws(Line line, Scenario scenario, long seed) {
    this.line = line;
    this.scenario = scenario;
    Random shared = new Random(seed);
    boolean own = line == Line.LINE_2017;
    for (Fault fault : Fault.values()) {
      faults.put(fault, own ? new Random(seed + fault.ordinal()) : shared);
    }
    switches = own ? new Random(seed) : shared;
    sensors = own ? new Random(seed) : shared;
    lengths = own ? new Random(seed) : shared;
    positions = own ? new Random(seed) : shared;
    links = own ? new Random(seed + 8) : null;
  }

  /** Whether this fault happens now; draws even where its probability is 0. */
  boolean fault(Fault fault) {
    return faults.get(fault).nextInt(100) < scenario.percent(fault);
  }

  /** Switches of a route, 1 to 19. */
  int switches() {
    return switches.nextInt(19) + 1;
  }

  /** Sensors of a switch, 1 to 9. */
  int sensors() {
    return sensors.nextInt(9) + 1;
  }

  /** Length of a segment: 1 to 1000, or −998 to 1 on a PosLength fault. */
  int length() {
    int sign = fault(Fault.POS_LENGTH) ? -1 : 1;
    return sign * lengths.nextInt(1000) + 1;
  }

  /** Ordinal of a Position, 0 to 2. */
  int position() {
    return positions.nextInt(3);
  }

  /** Whether a link between neighbours on a route's track is left out; never in the 2016 line. */
  boolean missingLink() {
    return line == Line.LINE_2017 && links.nextInt(1000) < scenario.missingLinksPerMille();
  }

  /**
   * The 2016 line draws, and does not use, one number for every switch on a route's track but the
   * first.
   *
   * @param remaining elements of the track from the switch to the end
   */
  void unusedDraw(int remaining) {
    if (line == Line.LINE_2016) {
      switches.nextInt(remaining);
    }
  }
}
