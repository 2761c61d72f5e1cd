package org.modelstress.hawk.graph.neo4j;

import java.util.Arrays;
import java.util.function.IntFunction;
import org.neo4j.graphdb.Direction;
import org.neo4j.storageengine.api.PropertySelection;
import org.neo4j.storageengine.api.RelationshipSelection;

/** Neo4j's selections of edges and properties by token, made once. */
final class Selections {
  private volatile RelationshipSelection[] out = {};
  private volatile RelationshipSelection[] in = {};
  private volatile PropertySelection[] properties = {};

  RelationshipSelection out(int label) {
    RelationshipSelection[] made = out;
    if (label >= made.length) {
      made = extended(made, label, l -> RelationshipSelection.selection(l, Direction.OUTGOING));
      out = made;
    }
    return made[label];
  }

  RelationshipSelection in(int label) {
    RelationshipSelection[] made = in;
    if (label >= made.length) {
      made = extended(made, label, l -> RelationshipSelection.selection(l, Direction.INCOMING));
      in = made;
    }
    return made[label];
  }

  PropertySelection property(int key) {
    PropertySelection[] made = properties;
    if (key >= made.length) {
      made = extended(made, key, PropertySelection::selection);
      properties = made;
    }
    return made[key];
  }

  private static <T> T[] extended(T[] made, int token, IntFunction<T> make) {
    T[] more = Arrays.copyOf(made, token + 16);
    for (int i = made.length; i < more.length; i++) {
      more[i] = make.apply(i);
    }
    return more;
  }
}
