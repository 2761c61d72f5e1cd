package org.modelstress.hawk.graph.orient;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.modelstress.hawk.graph.IndexType;

/**
 * What the graph remembers beside its nodes.
 *
 * @param names edge labels and property keys, by number
 * @param nextIndex number of the next index; none is used twice, so entries that nodes keep of
 *     dropped indices mean nothing
 */
record GraphState(List<String> names, List<Index> indices, int nextIndex) {
  /** An index. */
  record Index(String name, IndexType type, int number) {}

  static GraphState of(List<String> names, Collection<OrientIndex> indices, int nextIndex) {
    List<Index> described =
        indices.stream().map(i -> new Index(i.name(), i.type(), i.number())).toList();
    return new GraphState(names, described, nextIndex);
  }

  static GraphState read(byte[] record) {
    ByteSource source = new ByteSource().from(record);
    List<String> names = new ArrayList<>();
    for (int left = source.count(); left > 0; left--) {
      names.add(source.text());
    }
    List<Index> indices = new ArrayList<>();
    for (int left = source.count(); left > 0; left--) {
      indices.add(new Index(source.text(), IndexType.values()[source.oneByte()], source.count()));
    }
    return new GraphState(names, indices, source.count());
  }

  byte[] write() {
    ByteSink sink = new ByteSink();
    sink.number(names.size());
    names.forEach(sink::text);
    sink.number(indices.size());
    for (Index index : indices) {
      sink.text(index.name());
      sink.oneByte(index.type().ordinal());
      sink.number(index.number());
    }
    sink.number(nextIndex);
    return sink.toBytes();
  }
}
