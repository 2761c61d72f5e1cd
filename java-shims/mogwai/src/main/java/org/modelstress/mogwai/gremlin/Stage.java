package org.modelstress.mogwai.gremlin;

import com.tinkerpop.gremlin.java.GremlinPipeline;
import com.tinkerpop.pipes.PipeFunction;
import com.tinkerpop.pipes.sideeffect.SideEffectFunctionPipe;
import java.util.Iterator;

/** A part of a pipeline; immutable. Its pipe belongs to one execution. */
interface Stage {
  /** The slot of a producer whose elements are in no variable. */
  int NO_SLOT = -1;

  /** Adds the pipe. */
  void append(GremlinPipeline<Object, Object> pipeline, Frame frame);

  /** Whether it never fails nor makes the collection {@code invalid}. */
  boolean total();

  /** This stage inside the body of another one, where a failure makes all {@code invalid}. */
  default Stage nested() {
    return this;
  }

  /**
   * A stage that makes elements and can put each into a variable. Stages behind it that only let
   * elements pass read them there, up to the next producer: no element is made before the ones of
   * its predecessor are used up.
   */
  interface Producer extends Stage {
    int slot();

    Producer withSlot(int slot);
  }

  /** Flat-map: every element coming in starts the source anew. */
  record Expand(Source source, boolean total, boolean inBody, int slot) implements Producer {
    Expand(Source source, boolean total) {
      this(source, total, false, NO_SLOT);
    }

    @Override
    public void append(GremlinPipeline<Object, Object> pipeline, Frame frame) {
      pipeline.add(
          source instanceof Neighbours neighbours
              ? new NeighboursPipe(this, neighbours, frame)
              : new ExpandPipe(this, frame));
    }

    /** Begins to read; a failure is one of the pipeline's source, or makes all invalid. */
    Iterator<?> open(Frame frame) {
      try {
        return source.open(frame);
      } catch (Signal e) {
        throw e;
      } catch (RuntimeException e) {
        throw failure(e);
      }
    }

    Stage from(Source other) {
      return new Expand(other, total, inBody, slot);
    }

    RuntimeException failure(RuntimeException e) {
      return inBody ? Signal.Invalid.INSTANCE : e;
    }

    @Override
    public Stage nested() {
      return new Expand(source, total, true, slot);
    }

    @Override
    public Producer withSlot(int other) {
      return new Expand(source, total, inBody, other);
    }
  }

  /** Passes the body's value for each element. */
  record Transform(Plan body, int slot) implements Producer {
    @Override
    public void append(GremlinPipeline<Object, Object> pipeline, Frame frame) {
      pipeline.transform(
          element -> {
            Object value = body.safe(frame);
            if (value == Plan.INVALID) {
              throw Signal.Invalid.INSTANCE;
            }
            if (slot != NO_SLOT) {
              frame.slots[slot] = value;
            }
            return value;
          });
    }

    @Override
    public boolean total() {
      return body.traits.total();
    }

    @Override
    public Producer withSlot(int other) {
      return new Transform(body, other);
    }
  }

  /** Gives a variable its value: {@code let}. */
  record Assign(int slot, Plan value) implements Stage {
    @Override
    public void append(GremlinPipeline<Object, Object> pipeline, Frame frame) {
      PipeFunction<Object, Object> assign = element -> frame.slots[slot] = value.safe(frame);
      pipeline.add(new SideEffectFunctionPipe<>(assign));
    }

    @Override
    public boolean total() {
      return true;
    }
  }

  /** Passes elements for which a condition has the value that is kept. */
  record Filter(Plan condition, boolean kept) implements Stage {
    @Override
    public void append(GremlinPipeline<Object, Object> pipeline, Frame frame) {
      pipeline.filter(
          element -> {
            Object value = condition.safe(frame);
            if (Plan.isUndefined(value)) {
              throw Signal.Invalid.INSTANCE;
            }
            return (Boolean) value == kept;
          });
    }

    @Override
    public boolean total() {
      return condition.traits.sure();
    }
  }

  /** Passes elements of a type. */
  record OfType(TypeTest test) implements Stage {
    @Override
    public void append(GremlinPipeline<Object, Object> pipeline, Frame frame) {
      pipeline.filter(element -> test.holds(element, frame.elements));
    }

    @Override
    public boolean total() {
      return true;
    }
  }
}
