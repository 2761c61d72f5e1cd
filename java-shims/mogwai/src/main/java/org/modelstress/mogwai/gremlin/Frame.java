package org.modelstress.mogwai.gremlin;

import com.tinkerpop.pipes.Pipe;
import org.modelstress.queries.Cancellation;

/** One execution: the variables' values, the pipelines in use, and whether to go on. */
final class Frame {
  private static final int STEPS_BETWEEN_LOOKS = 256;

  final Object[] slots;
  final Pipe<?, Object>[] pipelines;
  final Elements elements;
  private final Cancellation cancellation;
  private int steps;

  @SuppressWarnings({"unchecked", "rawtypes"})
  Frame(int slots, int pipelines, Elements elements, Cancellation cancellation) {
    this.slots = new Object[slots];
    this.pipelines = new Pipe[pipelines];
    this.elements = elements;
    this.cancellation = cancellation;
  }

  /** Looks at once whether to go on: before something that takes long. */
  void look() {
    if (cancellation.isCancelled()) {
      throw new Signal.Cancelled();
    }
  }

  /** Called once per element that comes along anywhere. */
  void step() {
    if (++steps % STEPS_BETWEEN_LOOKS == 0 && cancellation.isCancelled()) {
      throw new Signal.Cancelled();
    }
  }
}
