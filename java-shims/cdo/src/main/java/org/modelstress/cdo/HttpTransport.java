package org.modelstress.cdo;

import java.util.Arrays;
import java.util.List;

/** How Net4j's operations go over HTTP; server and driver must use the same. */
public enum HttpTransport {
  /** Net4j's own: one request at a time, polling at fixed intervals. */
  STOCK("stock"),
  /** The same operations, with a poll always under way that the server answers when it has some. */
  LONG_POLL("long-poll");

  /** Header in which a request names its transport; Net4j's own sends none. */
  public static final String HEADER = "Net4j-Transport";

  private final String text;

  HttpTransport(String text) {
    this.text = text;
  }

  /** Its name in options and headers. */
  public String text() {
    return text;
  }

  /** All names, the default first. */
  public static List<String> texts() {
    return Arrays.stream(values()).map(HttpTransport::text).toList();
  }

  /**
   * The transport of this name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static HttpTransport of(Object text) {
    for (HttpTransport transport : values()) {
      if (transport.text.equals(text)) {
        return transport;
      }
    }
    throw new IllegalArgumentException(
        "http_transport is " + text + " where one of " + texts() + " is due");
  }
}
