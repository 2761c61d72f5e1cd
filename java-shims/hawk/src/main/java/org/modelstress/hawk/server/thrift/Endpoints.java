package org.modelstress.hawk.server.thrift;

import java.util.Map;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.hawk.index.LiveIndex;
import org.modelstress.hawk.server.HawkOptions;

/** Hawk's API over the protocols of a configuration. */
public final class Endpoints implements AutoCloseable {
  private Endpoints() {}

  /** Serves an index under a name. */
  public static Endpoints start(
      LiveIndex index, String instance, ServerConfig config, HawkOptions options)
      throws ServerException {
    throw new ServerException(
        ServerException.Exit.CONFIG, "ports: no protocol is built into this hawk yet", null);
  }

  /** Protocol to address. */
  public Map<String, String> endpoints() {
    return Map.of();
  }

  @Override
  public void close() {}
}
