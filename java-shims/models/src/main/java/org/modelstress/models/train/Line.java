package org.modelstress.models.train;

/** A line of the Train Benchmark's generator; the two draw their random numbers differently. */
public enum Line {
  /** The paper's generator: one stream of random numbers. */
  LINE_2016("2016"),
  /** Today's generator: a stream per kind of draw, and reachability errors. */
  LINE_2017("2017");

  private final String label;

  Line(String label) {
    this.label = label;
  }

  @Override
  public String toString() {
    return label;
  }
}
