package org.modelstress.topology.config;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.modelstress.topology.query.Condition;
import org.modelstress.topology.query.Ranges;
import org.modelstress.topology.schema.ObjectType;

/**
 * Objects that are distributed alike.
 *
 * @param name in configuration files
 * @param code in messages
 * @param definition the types of its objects, each with the condition that its objects have, or
 *     null where all of the type belong to it
 * @param tree in which stores they are
 * @param places of the tree, by which objects are found again
 */
public record Domain(
    String name,
    int code,
    Map<ObjectType, Condition> definition,
    Tree tree,
    List<Set<String>> places) {
  /** A domain with a definition that may have nulls. */
  public Domain(String name, int code, Map<ObjectType, Condition> definition, Tree tree) {
    this(name, code, definition, tree, tree.places());
  }

  /** Whether an object of a type with these values belongs to it. */
  public boolean has(ObjectType type, Object[] values) {
    if (!definition.containsKey(type)) {
      return false;
    }
    Condition condition = definition.get(type);
    return condition == null || condition.holds(values, List.of());
  }

  /** Whether objects of a type with a condition may belong to it. */
  public boolean mayHave(ObjectType type, Condition condition, List<?> parameters) {
    return definition.containsKey(type)
        && !Ranges.exclude(condition, parameters, definition.get(type));
  }

  /** The place that has a store; null where the tree has no such store. */
  public Set<String> place(String store) {
    for (Set<String> place : places) {
      if (place.contains(store)) {
        return place;
      }
    }
    return null;
  }
}
