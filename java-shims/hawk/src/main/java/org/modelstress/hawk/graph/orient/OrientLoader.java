package org.modelstress.hawk.graph.orient;

import com.orientechnologies.orient.core.db.ODatabaseDocumentInternal;
import com.orientechnologies.orient.core.db.record.ridbag.ORidBag;
import com.orientechnologies.orient.core.record.impl.ODocument;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleConsumer;
import org.eclipse.collections.impl.list.mutable.primitive.IntArrayList;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.modelstress.hawk.graph.GraphException;
import org.modelstress.hawk.graph.GraphLoader;
import org.modelstress.hawk.graph.NodeKind;

/**
 * Collects nodes and edges in arrays and at the end saves each document once, with all its link
 * bags: identifiers are known beforehand, since a cluster numbers its records from 0 in the order
 * of their creation. Only long link bags are filled in several transactions.
 */
final class OrientLoader implements GraphLoader {
  /** Links and documents of one transaction, about. */
  private static final int BATCH = 20_000;

  /** The log is emptied after so many of them. */
  private static final int CHECKPOINT = 1_000_000;

  /** Bits of a node's identifier where neighbours are sorted by label, direction and node. */
  private static final int NODE_BITS = 44;

  private static final long NODE_MASK = (1L << NODE_BITS) - 1;

  private final GraphFolder folder;
  private final OrientDatabase database;
  private final FieldNames names = new FieldNames();
  private final Map<String, String> fields = new HashMap<>();
  private final LongArrayList nodes = new LongArrayList();

  /** Names and values of each node's fields, alternating. */
  private final List<Object[]> properties = new ArrayList<>();

  private final IntArrayList[] ofKind = new IntArrayList[NodeKind.values().length];
  private final IntArrayList from = new IntArrayList();
  private final IntArrayList labels = new IntArrayList();
  private final IntArrayList to = new IntArrayList();
  private boolean written;

  OrientLoader(GraphFolder folder, OrientDatabase database) {
    this.folder = folder;
    this.database = database;
    Arrays.setAll(ofKind, kind -> new IntArrayList());
  }

  @Override
  public long createNode(NodeKind kind, Map<String, Object> values) {
    Object[] pairs = new Object[2 * values.size()];
    int filled = 0;
    for (Map.Entry<String, Object> value : values.entrySet()) {
      pairs[filled++] = fields.computeIfAbsent(value.getKey(), FieldNames::property);
      pairs[filled++] = FieldValues.field(value.getValue());
    }
    IntArrayList its = ofKind[kind.ordinal()];
    long node = NodeIds.of(kind, its.size());
    its.add(nodes.size());
    nodes.add(node);
    properties.add(pairs);
    return node;
  }

  @Override
  public int label(String name) {
    return names.token(name);
  }

  @Override
  public void createEdge(long source, int label, long target) {
    from.add(ordinal(source));
    labels.add(label);
    to.add(ordinal(target));
  }

  private int ordinal(long node) {
    return ofKind[NodeIds.kind(node).ordinal()].get((int) NodeIds.position(node));
  }

  @Override
  public void write(DoubleConsumer progress) {
    if (written) {
      return;
    }
    written = true;
    try (folder) {
      try (database;
          ODatabaseDocumentInternal session = database.session()) {
        new DocumentWriter(session, progress).writeAll();
      }
      folder.complete();
    } catch (IOException | RuntimeException e) {
      throw new GraphException("OrientDB failed to load the graph in " + folder.path() + ".", e);
    }
  }

  /** Edges by one of their ends. */
  private static final class Incidence {
    /** Where the edges of a node begin. */
    private final int[] starts;

    private final int[] edges;

    Incidence(IntArrayList ends, int nodes) {
      starts = new int[nodes + 1];
      ends.forEach(end -> starts[end + 1]++);
      for (int i = 0; i < nodes; i++) {
        starts[i + 1] += starts[i];
      }
      edges = new int[ends.size()];
      int[] filled = Arrays.copyOf(starts, nodes);
      for (int edge = 0; edge < edges.length; edge++) {
        edges[filled[ends.get(edge)]++] = edge;
      }
    }
  }

  /** Writes the documents, in the order of the nodes. */
  private final class DocumentWriter {
    private final ODatabaseDocumentInternal session;
    private final DoubleConsumer progress;
    private final Incidence outgoing = new Incidence(from, nodes.size());
    private final Incidence incoming = new Incidence(to, nodes.size());
    private long[] neighbours = new long[64];
    private int inBatch;
    private int sinceCheckpoint;
    private long done;

    /** Whether the present document was saved before. */
    private boolean created;

    DocumentWriter(ODatabaseDocumentInternal session, DoubleConsumer progress) {
      this.session = session;
      this.progress = progress;
      // what OrientDB's deprecated intent of massive insert would do
      session.setValidationEnabled(false);
      session.getLocalCache().setEnable(false);
    }

    void writeAll() {
      session.begin();
      for (int ordinal = 0; ordinal < nodes.size(); ordinal++) {
        write(ordinal);
      }
      session.commitPreallocate();
    }

    private void write(int ordinal) {
      long node = nodes.get(ordinal);
      ODocument document = database.newDocument(session, node);
      Object[] pairs = properties.set(ordinal, null);
      for (int i = 0; i < pairs.length; i += 2) {
        document.setProperty((String) pairs[i], pairs[i + 1]);
      }
      int count = gather(outgoing, ordinal, to, true, 0);
      count = gather(incoming, ordinal, from, false, count);
      Arrays.sort(neighbours, 0, count);
      created = false;
      int start = 0;
      while (start < count) {
        start = writeGroup(document, start, count);
      }
      save(document);
      inBatch++;
      if (inBatch >= BATCH) {
        nextBatch();
      }
    }

    /** Adds the link bag of the neighbours with one label and direction. */
    private int writeGroup(ODocument document, int start, int count) {
      long group = neighbours[start] >>> NODE_BITS;
      String field = names.edges((int) (group >>> 1), (group & 1) != 0);
      ORidBag bag = Links.need(document, field);
      int end = start;
      while (end < count && neighbours[end] >>> NODE_BITS == group) {
        bag.add(database.ids().rid(neighbours[end++] & NODE_MASK));
        inBatch++;
        if ((end - start) % BATCH == 0) {
          save(document);
          nextBatch();
          bag = Links.bag(document, field);
        }
      }
      return end;
    }

    private void save(ODocument document) {
      if (created) {
        session.save(document);
      } else {
        OrientDatabase.create(session, document);
        created = true;
      }
    }

    private void nextBatch() {
      session.commitPreallocate();
      sinceCheckpoint += inBatch;
      done += inBatch;
      inBatch = 0;
      progress.accept(done / (nodes.size() + 2.0 * from.size())); // each edge has two ends
      if (sinceCheckpoint > CHECKPOINT) {
        database.checkpoint();
        sinceCheckpoint = 0;
      }
      session.begin();
    }

    private int gather(Incidence edges, int ordinal, IntArrayList others, boolean out, int count) {
      int total = count;
      int end = edges.starts[ordinal + 1];
      for (int i = edges.starts[ordinal]; i < end; i++) {
        if (total == neighbours.length) {
          neighbours = Arrays.copyOf(neighbours, 2 * total);
        }
        int edge = edges.edges[i];
        long group = (long) labels.get(edge) << 1 | (out ? 1 : 0);
        neighbours[total++] = group << NODE_BITS | nodes.get(others.get(edge));
      }
      return total;
    }
  }
}
