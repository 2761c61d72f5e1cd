package org.modelstress.hawk.graph.orient;

import com.orientechnologies.orient.core.OConstants;
import java.nio.file.Path;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphException;
import org.modelstress.hawk.graph.GraphLoader;

/**
 * OrientDB, embedded. A quarter of the given cache holds records on the heap, for all threads, and
 * the rest pages, outside of the heap and for all databases of the process.
 */
public final class OrientBackend implements Backend {
  private static final String DATABASES = "orientdb";

  @Override
  public String name() {
    return "orientdb";
  }

  @Override
  public String version() {
    return "OrientDB " + OConstants.getRawVersion();
  }

  @Override
  public GraphLoader load(Path folder, int cacheMegabytes) {
    GraphFolder taken = GraphFolder.begin(folder);
    try {
      return new OrientLoader(taken, OrientStore.create(folder.resolve(DATABASES), cacheMegabytes));
    } catch (RuntimeException e) {
      taken.close();
      throw new GraphException("OrientDB cannot create a graph in " + folder + ".", e);
    }
  }

  @Override
  public Graph open(Path folder, int cacheMegabytes) {
    GraphFolder taken = GraphFolder.enter(folder);
    OrientStore store = null;
    try {
      int records = cacheMegabytes / 4;
      store = OrientStore.open(folder.resolve(DATABASES), cacheMegabytes - records);
      return new OrientGraph(taken, store, records * 1024L * 1024L);
    } catch (Exception e) {
      try (taken) {
        if (store != null) {
          store.close();
        }
      }
      throw new GraphException(
          "The graph in " + folder + " is damaged or of another version; load it again.", e);
    }
  }
}
