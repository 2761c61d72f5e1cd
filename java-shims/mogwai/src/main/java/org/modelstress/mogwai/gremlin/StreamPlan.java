package org.modelstress.mogwai.gremlin;

import com.tinkerpop.gremlin.java.GremlinPipeline;
import com.tinkerpop.pipes.AbstractPipe;
import com.tinkerpop.pipes.util.FastNoSuchElementException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import org.eclipse.ocl.expressions.CollectionKind;
import org.eclipse.ocl.util.CollectionUtil;

/** A collection that one Gremlin pipeline makes, element by element. */
final class StreamPlan extends Plan {
  final CollectionKind kind;
  final List<Stage> stages;
  private final int number;

  /**
   * Stages from a source on.
   *
   * @param number of the pipeline, different from all others of the query
   */
  StreamPlan(CollectionKind kind, List<Stage> stages, boolean elements, int number) {
    super(
        new Traits(
            stages.stream().allMatch(Stage::total),
            stages.stream().allMatch(Stage::total),
            elements));
    this.kind = kind;
    this.stages = List.copyOf(stages);
    this.number = number;
  }

  /** These stages and more. */
  List<Stage> and(Stage... more) {
    List<Stage> all = new ArrayList<>(stages);
    all.addAll(List.of(more));
    return all;
  }

  /** Where the elements are in a variable; {@link Stage#NO_SLOT} if they are in none. */
  int slot() {
    return producer().slot();
  }

  private Stage.Producer producer() {
    for (int i = stages.size() - 1; ; i--) {
      if (stages.get(i) instanceof Stage.Producer producer) {
        return producer;
      }
    }
  }

  /** This, with its elements in a variable. */
  StreamPlan withSlot(int slot) {
    Stage.Producer producer = producer();
    List<Stage> changed =
        stages.stream().map(s -> s == producer ? producer.withSlot(slot) : s).toList();
    return new StreamPlan(kind, changed, traits.elements(), number);
  }

  /** These stages as a part of another pipeline. */
  List<Stage> nested() {
    return stages.stream().map(Stage::nested).toList();
  }

  /** This, with references followed in the order that the store has. */
  StreamPlan unordered() {
    List<Stage> changed =
        stages.stream()
            .map(
                s ->
                    s instanceof Stage.Expand expand
                            && expand.source() instanceof Neighbours neighbours
                        ? expand.from(neighbours.unordered())
                        : s)
            .toList();
    return new StreamPlan(kind, changed, traits.elements(), number);
  }

  /** The one reference that this follows, null if it does more. */
  Neighbours onlyNeighbours() {
    return stages.size() == 1
            && stages.get(0) instanceof Stage.Expand expand
            && expand.source() instanceof Neighbours neighbours
        ? neighbours
        : null;
  }

  @Override
  Object value(Frame frame) {
    Collection<Object> all = CollectionUtil.createNewCollection(kind);
    try {
      Iterator<?> from = open(frame);
      while (from.hasNext()) {
        all.add(from.next());
      }
    } catch (Signal.Invalid e) {
      return INVALID;
    }
    return all;
  }

  /**
   * Begins to read; there is one pipeline per execution, so the one before must be done with.
   *
   * @throws Signal.Invalid here or while reading, if the collection is {@code invalid}
   */
  Iterator<?> open(Frame frame) {
    if (stages.size() == 1 && stages.get(0) instanceof Stage.Expand expand) {
      return expand.open(frame);
    }
    if (frame.pipelines[number] == null) {
      GremlinPipeline<Object, Object> pipeline = new GremlinPipeline<>();
      pipeline.add(new Start());
      stages.forEach(stage -> stage.append(pipeline, frame));
      frame.pipelines[number] = pipeline;
    } else {
      frame.pipelines[number].reset();
    }
    return frame.pipelines[number];
  }

  /** Emits once, and once more after each reset. */
  private static final class Start extends AbstractPipe<Object, Object> {
    private boolean emitted;

    @Override
    protected Object processNextStart() {
      if (emitted) {
        throw FastNoSuchElementException.instance();
      }
      emitted = true;
      return null;
    }

    @Override
    public void reset() {
      super.reset();
      emitted = false;
    }
  }
}
