package org.modelstress.cdo.driver;

import org.eclipse.net4j.util.container.IManagedContainer;
import org.eclipse.spi.net4j.Connector;
import org.eclipse.spi.net4j.ConnectorFactory;
import org.modelstress.cdo.HttpTransport;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Options;

/** Connects over HTTP; options {@code http_transport} and {@code poll_interval_ms}. */
final class HttpMaker extends ConnectorFactory implements Link.Maker {
  private static final String TYPE = "http";
  private static final HttpTransport DEFAULT = HttpTransport.STOCK;
  private static final long DEFAULT_POLL_MS = 5_000;

  private final Endpoint endpoint;
  private final HttpTransport transport;
  private final int pollMillis;
  private final Runnable onLoss;
  private Link made;

  /**
   * The maker of one link.
   *
   * @throws DriverException if an option has a value that it cannot have
   */
  HttpMaker(Endpoint endpoint, Options options, Runnable onLoss) throws DriverException {
    super(TYPE);
    this.endpoint = endpoint;
    this.onLoss = onLoss;
    try {
      transport = HttpTransport.of(options.values().getOrDefault("http_transport", DEFAULT.text()));
    } catch (IllegalArgumentException e) {
      throw new DriverException("options of the cdo driver: " + e.getMessage(), null);
    }
    long poll = options.number("poll_interval_ms", DEFAULT_POLL_MS);
    if (poll < 1 || poll > Integer.MAX_VALUE) {
      throw new DriverException(
          "options of the cdo driver: poll_interval_ms is " + poll + " where 1 or more is due",
          null);
    }
    this.pollMillis = (int) poll;
  }

  @Override
  public void prepare(IManagedContainer container) {
    container.registerFactory(this);
  }

  @Override
  public void connect(IManagedContainer container, Endpoint endpoint) {
    container.getElement(PRODUCT_GROUP, TYPE, endpoint.uri().toString());
  }

  @Override
  public Connector create(String description) {
    if (transport == HttpTransport.LONG_POLL) {
      LongPollLink link = new LongPollLink(endpoint, onLoss);
      made = link;
      return link;
    }
    HttpLink link = new HttpLink(endpoint, pollMillis, onLoss);
    made = link;
    return link;
  }

  @Override
  public Link made() {
    return made;
  }
}
