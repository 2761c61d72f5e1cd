package org.modelstress.harness.spi;

import java.net.URI;

/**
 * Where a server answers, such as {@code tcp://127.0.0.1:2036} or {@code http://127.0.0.1:8080}.
 */
public record Endpoint(URI uri) {
  /** Host part of the address. */
  public String host() {
    return uri.getHost();
  }

  /** Port part of the address. */
  public int port() {
    return uri.getPort();
  }
}
