package org.modelstress.cdo.driver;

import org.eclipse.net4j.connector.IConnector;
import org.eclipse.net4j.util.container.IManagedContainer;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Options;

/** A session's own connection to the server, in one of Net4j's transports. */
interface Link extends IConnector {
  /** How long a connection may take to be made, as Net4j's own way to connect waits. */
  long CONNECT_MILLIS = 10_000;

  /** Makes the connection of one session; a maker is used once. */
  interface Maker {
    /** Registers what Net4j needs for the transport; the container is activated afterwards. */
    void prepare(IManagedContainer container);

    /**
     * Connects, and returns when the connection is made.
     *
     * @throws RuntimeException as Net4j throws it, when there is no connection
     */
    void connect(IManagedContainer container, Endpoint endpoint);

    /** The link, even if it could not connect; null if none was made. */
    Link made();
  }

  /**
   * The maker of an endpoint's transport.
   *
   * @param onLoss runs when the connection is refused or lost, until it is replaced
   * @param webSockets what WebSocket connections of one driver share
   * @throws DriverException if the driver has no transport for the endpoint, or an option is wrong
   */
  static Maker maker(
      Endpoint endpoint, Options options, Runnable onLoss, SharedWebSockets webSockets)
      throws DriverException {
    String scheme = String.valueOf(endpoint.uri().getScheme());
    if (endpoint.port() > 0 && endpoint.host() != null) {
      switch (scheme) {
        case "tcp":
          return new TcpLink.Maker(options, onLoss);
        case "http":
          return new HttpMaker(endpoint, options, onLoss);
        case "ws":
          return new WebSocketLink.Maker(webSockets, options, onLoss);
        default:
      }
    }
    throw new DriverException(
        "endpoint "
            + endpoint.uri()
            + " is not of the form tcp://host:port, http://host:port/path or ws://host:port/path",
        null);
  }

  /** What went over it, and whether it still stands. */
  LinkState state();

  /** Closes the connection and whatever Net4j forgets of one that failed. */
  void release();
}
