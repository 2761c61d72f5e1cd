package org.modelstress.mogwai.gremlin;

import com.tinkerpop.pipes.AbstractPipe;

/**
 * Reads an element's neighbours for each start, all at once. They stay until another element comes,
 * for elements often come several times in a row.
 */
final class NeighboursPipe extends AbstractPipe<Object, Object> {
  private final Stage.Expand stage;
  private final Neighbours source;
  private final Frame frame;
  private final int slot;
  private final Plan.Variable variable;
  private final Neighbours.Buffer all = new Neighbours.Buffer();
  private Object of;
  private int next;

  NeighboursPipe(Stage.Expand stage, Neighbours source, Frame frame) {
    this.stage = stage;
    this.source = source;
    this.frame = frame;
    this.slot = stage.slot();
    this.variable = source.from instanceof Plan.Variable from ? from : null;
  }

  @Override
  protected Object processNextStart() {
    while (next == all.size) {
      starts.next();
      open();
    }
    frame.step();
    Object element = all.elements[next++];
    if (slot != Stage.NO_SLOT) {
      frame.slots[slot] = element;
    }
    return element;
  }

  private void open() {
    Object element = variable == null ? element() : frame.slots[variable.slot];
    if (Plan.isUndefined(element)) {
      throw Signal.Invalid.INSTANCE;
    }
    frame.step();
    next = 0;
    if (element.equals(of)) {
      return;
    }
    of = null;
    all.size = 0;
    source.read(element, all, frame);
    of = element;
  }

  private Object element() {
    try {
      return source.from.value(frame);
    } catch (Signal e) {
      throw e;
    } catch (RuntimeException e) {
      throw stage.failure(e);
    }
  }

  @Override
  public void reset() {
    super.reset();
    next = all.size;
  }
}
