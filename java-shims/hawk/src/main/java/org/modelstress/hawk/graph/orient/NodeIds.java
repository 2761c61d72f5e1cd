package org.modelstress.hawk.graph.orient;

import com.orientechnologies.orient.core.id.ORID;
import com.orientechnologies.orient.core.id.ORecordId;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.modelstress.hawk.graph.NodeKind;

/**
 * Node identifiers: position of the record in its cluster, and in the lowest three bits the node's
 * kind, which stands for the cluster. So the kind of a node is known without reading it.
 */
final class NodeIds {
  private static final NodeKind[] KINDS = NodeKind.values();
  private static final Pattern TEXT = Pattern.compile("#(\\d{1,5}):(\\d{1,17})");

  private final int[] clusters = new int[KINDS.length];
  private final NodeKind[] kinds = new NodeKind[Short.MAX_VALUE + 1];

  /**
   * @param clusters number of each kind's cluster
   */
  NodeIds(Map<NodeKind, Integer> clusters) {
    clusters.forEach(
        (kind, cluster) -> {
          this.clusters[kind.ordinal()] = cluster;
          kinds[cluster] = kind;
        });
  }

  static long of(NodeKind kind, long position) {
    return position << 3 | kind.ordinal();
  }

  static NodeKind kind(long node) {
    return KINDS[(int) node & 7];
  }

  static boolean possible(long node) {
    return node >= 0 && (node & 7) < KINDS.length;
  }

  static long position(long node) {
    return node >>> 3;
  }

  int cluster(long node) {
    return clusters[(int) node & 7];
  }

  /** The record of a node. */
  ORecordId rid(long node) {
    return new ORecordId(cluster(node), position(node));
  }

  /** The node of a record. */
  long node(ORID rid) {
    return node(rid.getClusterId(), rid.getClusterPosition());
  }

  /** The node of a record. */
  long node(int cluster, long position) {
    return of(kinds[cluster], position);
  }

  String text(long node) {
    return "#" + cluster(node) + ":" + position(node);
  }

  long parse(String text) {
    Matcher parts = TEXT.matcher(text);
    if (parts.matches()) {
      int cluster = Integer.parseInt(parts.group(1));
      if (cluster < kinds.length && kinds[cluster] != null) {
        return node(cluster, Long.parseLong(parts.group(2)));
      }
    }
    throw new IllegalArgumentException("not an OrientDB record identifier: " + text);
  }
}
