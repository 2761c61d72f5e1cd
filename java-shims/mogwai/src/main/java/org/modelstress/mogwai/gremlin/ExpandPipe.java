package org.modelstress.mogwai.gremlin;

import com.tinkerpop.pipes.AbstractPipe;
import java.util.Collections;
import java.util.Iterator;

/** Reads from a source for each start. */
final class ExpandPipe extends AbstractPipe<Object, Object> {
  private final Stage.Expand stage;
  private final Frame frame;
  private Iterator<?> inner = Collections.emptyIterator();

  ExpandPipe(Stage.Expand stage, Frame frame) {
    this.stage = stage;
    this.frame = frame;
  }

  @Override
  protected Object processNextStart() {
    while (!inner.hasNext()) {
      starts.next();
      inner = stage.open(frame);
    }
    frame.step();
    Object element = inner.next();
    if (stage.slot() != Stage.NO_SLOT) {
      frame.slots[stage.slot()] = element;
    }
    return element;
  }

  @Override
  public void reset() {
    super.reset();
    inner = Collections.emptyIterator();
  }
}
