package org.modelstress.mogwai.driver;

import java.util.Map;
import org.modelstress.thrift.client.ThriftDriver;

/**
 * Runs OCL queries on this project's Mogwaï server, or on another one that speaks Hawk's Thrift API
 * and knows the language {@link #OCL}.
 */
public final class MogwaiDriver extends ThriftDriver {
  /** OCL compiled to Gremlin, as the API names it. */
  public static final String OCL = "org.modelstress.mogwai.OCL";

  public MogwaiDriver() {
    super("mogwai", "ocl", Map.of("ocl", OCL));
  }
}
