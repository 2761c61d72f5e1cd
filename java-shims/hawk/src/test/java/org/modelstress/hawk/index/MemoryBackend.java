package org.modelstress.hawk.index;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.modelstress.hawk.MemoryGraph;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphException;
import org.modelstress.hawk.graph.GraphLoader;

/** Graphs in memory, kept by folder as long as this object lives. */
final class MemoryBackend implements Backend {
  private final Map<Path, MemoryGraph> graphs = new HashMap<>();

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public String version() {
    return "memory 1";
  }

  @Override
  public GraphLoader load(Path folder, int cacheMegabytes) {
    graphs.put(folder, new MemoryGraph());
    return graphs.get(folder);
  }

  @Override
  public Graph open(Path folder, int cacheMegabytes) {
    if (!graphs.containsKey(folder)) {
      throw new GraphException("no graph in " + folder, null);
    }
    return graphs.get(folder);
  }
}
