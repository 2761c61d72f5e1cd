package org.modelstress.hawk.query.compiled;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.query.Element;
import org.modelstress.hawk.query.NodeList;

/** The patterns of an EPL query as nested loops over the candidates of their roles. */
final class Patterns {
  private final Statements.Statement before;
  private final List<Pattern> patterns;

  Patterns(Statements.Statement before, List<Pattern> patterns) {
    this.before = before;
    this.patterns = patterns;
  }

  List<Map<String, Object>> run(Frame frame) {
    before.run(frame);
    List<Map<String, Object>> matches = new ArrayList<>();
    for (Pattern pattern : patterns) {
      pattern.forget(frame);
      pattern.bind(0, frame, matches);
    }
    return matches;
  }

  /** An expression or block that gives a value. */
  interface Body {
    Object value(Frame frame);

    default boolean test(Frame frame) {
      if (value(frame) instanceof Boolean truth) {
        return truth;
      }
      throw Bailout.INSTANCE;
    }
  }

  /**
   * A role.
   *
   * @param slot of its variable
   * @param extent the type whose extent has its candidates; null if a domain has them
   * @param domain gives its candidates; null for an extent
   * @param kept slot of the candidates if they are found once; −1 if for each binding of the
   *     earlier roles
   * @param check the type that candidates must have; null if they have it anyhow
   * @param nullable whether null in a collection is a candidate
   * @param guard null if there is none
   * @param lookup finds the candidates for which the guard holds; null if no index helps
   */
  record Role(
      String name,
      int slot,
      Catalog.Type extent,
      Body domain,
      int kept,
      Catalog.Type check,
      boolean nullable,
      Body guard,
      Searches.Lookup lookup) {
    private Object candidates(Frame frame) {
      if (kept < 0) {
        return domain.value(frame);
      }
      if (frame.slots[kept] == null) {
        frame.slots[kept] =
            extent == null ? fixed(domain.value(frame)) : new NodeList(frame.graph.extent(extent));
      }
      return frame.slots[kept];
    }

    /** The collection of a domain that is evaluated once may be changed later. */
    private static Object fixed(Object value) {
      if (value instanceof NodeList list) {
        return list;
      }
      List<Object> copy = new ArrayList<>();
      if (value instanceof Collection<?> collection) {
        copy.addAll(collection);
      } else {
        copy.add(value);
      }
      return copy;
    }

    private boolean accepts(Frame frame, Object candidate) {
      if (check == null) {
        return nullable || candidate != null;
      }
      return candidate instanceof Element element && frame.graph.isKindOf(element.node(), check);
    }
  }

  /** A pattern. */
  static final class Pattern {
    private final Role[] roles;
    private final Body match;

    Pattern(Role[] roles, Body match) {
      this.roles = roles;
      this.match = match;
    }

    void forget(Frame frame) {
      for (Role role : roles) {
        if (role.kept() >= 0) {
          frame.slots[role.kept()] = null;
        }
      }
    }

    void bind(int index, Frame frame, List<Map<String, Object>> matches) {
      if (index == roles.length) {
        if (match == null || match.test(frame)) {
          matches.add(bindings(frame));
        }
        return;
      }
      Role role = roles[index];
      LongArrayList hits = role.lookup() == null ? null : role.lookup().hits(frame);
      if (hits != null) {
        for (int i = 0; i < hits.size(); i++) {
          frame.graph.step();
          frame.slots[role.slot()] = new Element(hits.get(i));
          bind(index + 1, frame, matches);
        }
        return;
      }
      Object candidates = role.candidates(frame);
      if (candidates instanceof NodeList list) {
        LongArrayList nodes = list.nodes();
        for (int i = 0; i < nodes.size(); i++) {
          candidate(index, new Element(nodes.get(i)), frame, matches);
        }
      } else if (candidates instanceof Collection<?> collection) {
        for (Object candidate : new ArrayList<>(collection)) {
          candidate(index, candidate, frame, matches);
        }
      } else {
        candidate(index, candidates, frame, matches);
      }
    }

    private void candidate(
        int index, Object candidate, Frame frame, List<Map<String, Object>> matches) {
      frame.graph.step();
      Role role = roles[index];
      if (role.accepts(frame, candidate)) {
        frame.slots[role.slot()] = candidate;
        if (role.guard() == null || role.guard().test(frame)) {
          bind(index + 1, frame, matches);
        }
      }
    }

    private Map<String, Object> bindings(Frame frame) {
      Map<String, Object> bindings = new LinkedHashMap<>(roles.length * 2);
      for (Role role : roles) {
        bindings.put(role.name(), frame.slots[role.slot()]);
      }
      return bindings;
    }
  }
}
