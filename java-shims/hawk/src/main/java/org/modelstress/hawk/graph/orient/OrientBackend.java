package org.modelstress.hawk.graph.orient;

import com.orientechnologies.orient.core.OConstants;
import java.nio.file.Path;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphException;
import org.modelstress.hawk.graph.GraphLoader;

/**
 * OrientDB, embedded. The given cache holds pages, outside of the heap and for all databases of the
 * process; records are cached on the heap by each session, as long as the collector lets them.
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
      return new OrientLoader(
          taken, OrientDatabase.create(folder.resolve(DATABASES), cacheMegabytes));
    } catch (RuntimeException e) {
      taken.close();
      throw new GraphException("OrientDB cannot create a graph in " + folder + ".", e);
    }
  }

  @Override
  public Graph open(Path folder, int cacheMegabytes) {
    GraphFolder taken = GraphFolder.enter(folder);
    OrientDatabase database = null;
    try {
      database = OrientDatabase.open(folder.resolve(DATABASES), cacheMegabytes);
      return new OrientGraph(taken, database);
    } catch (Exception e) {
      try (taken) {
        if (database != null) {
          database.close();
        }
      }
      throw new GraphException(
          "The graph in " + folder + " is damaged or of another version; load it again.", e);
    }
  }
}
