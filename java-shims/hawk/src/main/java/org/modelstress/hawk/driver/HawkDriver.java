package org.modelstress.hawk.driver;

import java.util.Map;
import org.modelstress.hawk.query.Language;
import org.modelstress.thrift.client.ThriftDriver;

/**
 * Runs queries on a server that speaks Hawk's Thrift API, this project's or a real Hawk. The
 * parameter {@code language} of an operation is {@code eol}, {@code epl}, or another engine of a
 * real Hawk by its whole name.
 */
public final class HawkDriver extends ThriftDriver {
  public HawkDriver() {
    super("hawk", "eol", Map.of("eol", Language.EOL.id(), "epl", Language.EPL.id()));
  }
}
