package org.modelstress.metadata.tool;

import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import org.modelstress.databases.Addresses;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.Endpoints;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.SessionContext;
import org.modelstress.metadata.service.LocalService;
import org.modelstress.metadata.service.MetadataService;
import org.modelstress.metadata.store.ObjectStore;
import org.modelstress.metadata.web.WebService;
import org.modelstress.metadata.work.Operations;

/**
 * Clients: in the process of the service, by its local interface, all threads on one service as in
 * the report; or over the web.
 */
public final class MetadataDriver implements Driver {
  private static final int CONNECTIONS = 128;
  private static final long CONNECT_MILLIS = 5_000;

  private final Map<Endpoints, Place> places = new HashMap<>();
  private Settings settings;

  /**
   * What all sessions of the process with the same servers have in common; a server in the place of
   * another one is another.
   *
   * @param local null: the service is reached over the web
   * @param web null: it is in this process
   */
  private record Place(LocalService local, WebService.Shared web, Operations.Shared shared) {}

  @Override
  public String name() {
    return "metadata";
  }

  @Override
  public Session open(Endpoints endpoints, SessionContext who) throws DriverException {
    Options options = who.options();
    try {
      Place place = place(endpoints, options);
      if (place.local() != null) {
        return new LocalSession(operations(place.local(), who, place));
      }
      URI root = endpoints.node("service").uri();
      WebService service = new WebService(place.web(), root, options.timeoutMillis());
      return new WebSession(operations(service, who, place), service);
    } catch (IllegalArgumentException e) {
      throw new DriverException(e.getMessage(), e);
    }
  }

  private Operations operations(MetadataService service, SessionContext who, Place place) {
    return new Operations(service, who, place.shared(), settings.attributes());
  }

  private synchronized Place place(Endpoints endpoints, Options options) {
    Place known = places.get(endpoints);
    if (known == null) {
      settings = Settings.of(options.values(), options.timeoutMillis());
      known = newPlace(endpoints, options.text("protocol", "local"));
      places.put(endpoints, known);
    }
    return known;
  }

  private Place newPlace(Endpoints endpoints, String protocol) {
    Operations.Shared shared = new Operations.Shared();
    switch (protocol) {
      case "local" -> {
        String jdbc = Addresses.jdbc(endpoints.node("database").uri().toString());
        ObjectStore store = ObjectStore.of(jdbc, settings.layout(), CONNECTIONS);
        return new Place(new LocalService(store, settings.configuration()), null, shared);
      }
      case "http" -> {
        return new Place(null, new WebService.Shared(CONNECT_MILLIS), shared);
      }
      default ->
          throw new IllegalArgumentException(
              "option protocol: is " + protocol + "; it is local or http");
    }
  }

  @Override
  public synchronized void close() {
    for (Place place : places.values()) {
      if (place.local() != null) {
        place.local().close();
      }
    }
  }

  private record LocalSession(Operations operations) implements Session {
    @Override
    public Outcome execute(Operation operation) {
      return operations.run(operation.name(), operation.parameters());
    }

    @Override
    public void close() {
      // the service is everybody's
    }
  }

  private record WebSession(Operations operations, WebService service) implements Session {
    @Override
    public Outcome execute(Operation operation) {
      Outcome outcome = operations.run(operation.name(), operation.parameters());
      long[] traffic = service.takeTraffic();
      return outcome.withTraffic(traffic[0], traffic[1]);
    }

    @Override
    public void close() {
      service.close();
    }
  }
}
