package org.modelstress.hawk.index;

import com.github.difflib.DiffUtils;
import com.github.difflib.algorithm.myers.MyersDiffWithLinearSpace;
import com.github.difflib.patch.AbstractDelta;
import com.github.difflib.patch.DeltaType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import org.eclipse.collections.impl.list.mutable.primitive.IntArrayList;

/**
 * Finds for the elements of a changed model those that they were before. Elements that the model
 * itself names (ID attribute, {@code xmi:id}) are the same when type and name are. The others are
 * looked for among the children of what their container was: equal subtrees first, then those that
 * hold the same, then equal attributes, then equal types, each in their order; what is left may
 * have moved, when an equal subtree vanished elsewhere. How well that guesses decides how much is
 * rewritten, never what the result is.
 */
final class Alignment {
  /** No such element before. */
  static final int NEW = -1;

  /** What {@link Tree#parent} says of a root. */
  private static final int NONE = -1;

  /** Longer lists are matched by their keys alone: their common order would take too long. */
  private static final long MOST_COMPARISONS = 25_000_000;

  private final Tree before;
  private final Tree after;
  private final int[] oldOf;
  private final int[] newOf;
  private final Map<Integer, Map<String, IntArrayList>> oldChildren = new HashMap<>();
  private final Map<Integer, Map<String, IntArrayList>> newChildren = new HashMap<>();

  private Alignment(Tree before, Tree after) {
    this.before = before;
    this.after = after;
    this.oldOf = new int[after.size()];
    this.newOf = new int[before.size()];
    Arrays.fill(oldOf, NEW);
    Arrays.fill(newOf, NEW);
  }

  /**
   * Number of the element before, or {@link #NEW}, for every element after.
   *
   * @param same numbers before and after of elements that are the same if their types are
   */
  static int[] of(Tree before, Tree after, Map<Integer, Integer> same) {
    Alignment alignment = new Alignment(before, after);
    same.forEach(alignment::match);
    alignment.matchNamed();
    children(before, alignment.newOf, alignment.oldChildren);
    children(after, alignment.oldOf, alignment.newChildren);
    alignment
        .newChildren
        .getOrDefault(NONE, Map.of())
        .forEach((role, roots) -> alignment.align(alignment.rootsBefore(), roots));
    for (int i = 0; i < after.size(); i++) {
      alignment.alignChildren(i);
    }
    alignment.matchMoved();
    return alignment.oldOf;
  }

  private IntArrayList rootsBefore() {
    return oldChildren.getOrDefault(NONE, Map.of()).get(null);
  }

  private void match(int old, int now) {
    boolean free = newOf[old] == NEW && oldOf[now] == NEW;
    if (free && before.type(old) == after.type(now)) {
      newOf[old] = now;
      oldOf[now] = old;
    }
  }

  private void matchNamed() {
    Map<String, Integer> named = named(before);
    named(after)
        .forEach(
            (name, now) -> {
              Integer old = named.get(name);
              if (old != null && old >= 0 && now >= 0) {
                match(old, now);
              }
            });
  }

  /** Elements by name; -1 where several have the same. */
  private static Map<String, Integer> named(Tree tree) {
    Map<String, Integer> named = new LinkedHashMap<>();
    for (int i = 0; i < tree.size(); i++) {
      if (tree.id(i) != null) {
        named.merge(tree.id(i), i, (one, other) -> -1);
      }
    }
    return named;
  }

  /** The children that are still without a match and have no name, by container and role. */
  private static void children(
      Tree tree, int[] matches, Map<Integer, Map<String, IntArrayList>> into) {
    for (int i = 0; i < tree.size(); i++) {
      if (matches[i] == NEW && tree.id(i) == null) {
        into.computeIfAbsent(tree.parent(i), p -> new LinkedHashMap<>())
            .computeIfAbsent(tree.role(i), r -> new IntArrayList())
            .add(i);
      }
    }
  }

  private void alignChildren(int now) {
    if (oldOf[now] == NEW) {
      return;
    }
    Map<String, IntArrayList> old = oldChildren.getOrDefault(oldOf[now], Map.of());
    newChildren
        .getOrDefault(now, Map.of())
        .forEach((role, children) -> align(old.get(role), children));
  }

  private void align(IntArrayList old, IntArrayList now) {
    if (old == null) {
      return;
    }
    align(old, now, before::subtree, after::subtree);
    matchByContents(left(old, newOf), left(now, oldOf));
    align(old, now, before::content, after::content);
    align(old, now, i -> (int) before.type(i).node(), i -> (int) after.type(i).node());
  }

  /** Matches a changed element with the one that held most of the subtrees which it holds now. */
  private void matchByContents(IntArrayList old, IntArrayList now) {
    Map<Integer, Integer> holders = new HashMap<>();
    old.forEach(
        i ->
            oldChildren
                .getOrDefault(i, Map.of())
                .values()
                .forEach(held -> held.forEach(c -> holders.put(before.subtree(c), i))));
    now.forEach(
        i -> {
          Map<Integer, Integer> shared = new HashMap<>();
          newChildren
              .getOrDefault(i, Map.of())
              .values()
              .forEach(held -> held.forEach(c -> count(holders.get(after.subtree(c)), shared)));
          shared.entrySet().stream()
              .max(Map.Entry.comparingByValue())
              .ifPresent(most -> match(most.getKey(), i));
        });
  }

  private void count(Integer holder, Map<Integer, Integer> shared) {
    if (holder != null && newOf[holder] == NEW) {
      shared.merge(holder, 1, Integer::sum);
    }
  }

  /** Matches what is left of two lists by keys: in common order first, then out of order. */
  private void align(
      IntArrayList old, IntArrayList now, IntUnaryOperator oldKey, IntUnaryOperator newKey) {
    Map<Integer, Deque<Integer>> oldByKey = byKey(left(old, newOf), oldKey);
    Map<Integer, Deque<Integer>> newByKey = byKey(left(now, oldOf), newKey);
    IntArrayList oldRest = left(old, newOf).select(i -> newByKey.containsKey(oldKey.applyAsInt(i)));
    IntArrayList newRest = left(now, oldOf).select(i -> oldByKey.containsKey(newKey.applyAsInt(i)));
    if ((long) oldRest.size() * newRest.size() <= MOST_COMPARISONS) {
      matchInOrder(oldRest, newRest, oldKey, newKey);
    }
    Map<Integer, Deque<Integer>> rest = byKey(left(oldRest, newOf), oldKey);
    left(newRest, oldOf)
        .forEach(
            i -> {
              Deque<Integer> equal = rest.get(newKey.applyAsInt(i));
              if (equal != null && !equal.isEmpty()) {
                match(equal.remove(), i);
              }
            });
  }

  private void matchInOrder(
      IntArrayList old, IntArrayList now, IntUnaryOperator oldKey, IntUnaryOperator newKey) {
    List<AbstractDelta<Integer>> parts =
        DiffUtils.diff(
                keys(old, oldKey),
                keys(now, newKey),
                new MyersDiffWithLinearSpace<Integer>(Integer::equals),
                null,
                true)
            .getDeltas();
    for (AbstractDelta<Integer> part : parts) {
      if (part.getType() == DeltaType.EQUAL) {
        for (int i = 0; i < part.getSource().size(); i++) {
          int position = part.getSource().getPosition() + i;
          match(old.get(position), now.get(part.getTarget().getPosition() + i));
        }
      }
    }
  }

  private static List<Integer> keys(IntArrayList elements, IntUnaryOperator key) {
    List<Integer> keys = new ArrayList<>(elements.size());
    elements.forEach(i -> keys.add(key.applyAsInt(i)));
    return keys;
  }

  private static IntArrayList left(IntArrayList elements, int[] matches) {
    return elements.select(i -> matches[i] == NEW);
  }

  private static Map<Integer, Deque<Integer>> byKey(IntArrayList elements, IntUnaryOperator key) {
    Map<Integer, Deque<Integer>> byKey = new HashMap<>();
    elements.forEach(i -> byKey.computeIfAbsent(key.applyAsInt(i), k -> new ArrayDeque<>()).add(i));
    return byKey;
  }

  private void matchMoved() {
    IntArrayList vanished = new IntArrayList();
    for (int i = 0; i < before.size(); i++) {
      if (newOf[i] == NEW && before.id(i) == null) {
        vanished.add(i);
      }
    }
    Map<Integer, Deque<Integer>> bySubtree = byKey(vanished, before::subtree);
    for (int i = 0; i < after.size(); i++) {
      Deque<Integer> equal = bySubtree.get(after.subtree(i));
      if (oldOf[i] == NEW && after.id(i) == null && equal != null) {
        while (!equal.isEmpty() && oldOf[i] == NEW) {
          match(equal.remove(), i);
        }
        alignChildren(i);
      }
    }
  }
}
