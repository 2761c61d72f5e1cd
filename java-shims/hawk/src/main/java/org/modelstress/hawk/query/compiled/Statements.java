package org.modelstress.hawk.query.compiled;

import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.query.Element;
import org.modelstress.hawk.query.NodeList;

/** Statements. */
final class Statements {
  /** How a statement ended. */
  enum End {
    NORMAL,
    RETURN,
    BREAK,
    CONTINUE
  }

  /** A compiled statement. */
  interface Statement {
    End run(Frame frame);
  }

  private Statements() {}

  record Block(Statement[] statements) implements Statement {
    @Override
    public End run(Frame frame) {
      for (Statement statement : statements) {
        End end = statement.run(frame);
        if (end != End.NORMAL) {
          return end;
        }
      }
      return End.NORMAL;
    }
  }

  record Evaluate(Node expression) implements Statement {
    @Override
    public End run(Frame frame) {
      expression.eval(frame);
      return End.NORMAL;
    }
  }

  record Assign(int slot, Node value) implements Statement {
    @Override
    public End run(Frame frame) {
      frame.slots[slot] = value.eval(frame);
      return End.NORMAL;
    }
  }

  record Return(Node value) implements Statement {
    @Override
    public End run(Frame frame) {
      frame.returned = value == null ? null : value.eval(frame);
      return End.RETURN;
    }
  }

  record Jump(End end) implements Statement {
    @Override
    public End run(Frame frame) {
      return end;
    }
  }

  record If(Node condition, Statement then, Statement otherwise) implements Statement {
    @Override
    public End run(Frame frame) {
      if (condition.test(frame)) {
        return then.run(frame);
      }
      return otherwise == null ? End.NORMAL : otherwise.run(frame);
    }
  }

  /**
   * A loop over a collection, or over a single value.
   *
   * @param type only its instances count; null for everything
   */
  record For(int slot, Catalog.Type type, Node source, Statement body) implements Statement {
    @Override
    public End run(Frame frame) {
      if (source instanceof Properties.ElementList list) {
        return overNodes(frame, list.nodes(frame));
      }
      Object value = source.eval(frame);
      if (value instanceof NodeList list) {
        return overNodes(frame, list.nodes());
      }
      Iterable<?> members =
          value instanceof Iterable<?> iterable ? iterable : Collections.singletonList(value);
      Iterator<?> all = members.iterator();
      while (all.hasNext()) {
        End end = once(frame, all.next());
        if (end != null) {
          return end;
        }
      }
      return End.NORMAL;
    }

    private End overNodes(Frame frame, LongArrayList nodes) {
      for (int i = 0; i < nodes.size(); i++) {
        End end = once(frame, new Element(nodes.get(i)));
        if (end != null) {
          return end;
        }
      }
      return End.NORMAL;
    }

    /** One turn; null to go on. */
    private End once(Frame frame, Object member) {
      frame.graph.step();
      if (type != null
          && !(member instanceof Element element && frame.graph.isKindOf(element.node(), type))) {
        return null;
      }
      frame.slots[slot] = member;
      End end = body.run(frame);
      return switch (end) {
        case RETURN -> end;
        case BREAK -> End.NORMAL;
        default -> null;
      };
    }
  }

  static Statement block(List<Statement> statements) {
    return statements.size() == 1
        ? statements.get(0)
        : new Block(statements.toArray(new Statement[0]));
  }
}
