package org.modelstress.thrift.client;

import java.util.Map;

/** The base of the drivers, with Hawk's EOL. */
public final class AnyDriver extends ThriftDriver {
  public AnyDriver() {
    super("any", "eol", Map.of("eol", "org.hawk.epsilon.emc.EOLQueryEngine"));
  }
}
