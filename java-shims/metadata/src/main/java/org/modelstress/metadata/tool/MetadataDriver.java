package org.modelstress.metadata.tool;

import java.net.URI;
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

  private final Operations.Shared shared = new Operations.Shared();
  private Settings settings;
  private MetadataService local;
  private WebService.Shared web;

  @Override
  public String name() {
    return "metadata";
  }

  @Override
  public Session open(Endpoints endpoints, SessionContext who) throws DriverException {
    Options options = who.options();
    try {
      begin(endpoints, options);
      if (local != null) {
        return new LocalSession(new Operations(local, who, shared, settings.attributes()));
      }
      URI root = endpoints.node("service").uri();
      WebService service = new WebService(web, root, options.timeoutMillis());
      return new WebSession(new Operations(service, who, shared, settings.attributes()), service);
    } catch (IllegalArgumentException e) {
      throw new DriverException(e.getMessage(), e);
    }
  }

  /** What all sessions of the process have in common. */
  private synchronized void begin(Endpoints endpoints, Options options) {
    if (settings != null) {
      return;
    }
    Settings read = Settings.of(options.values(), options.timeoutMillis());
    String protocol = options.text("protocol", "local");
    switch (protocol) {
      case "local" -> {
        String jdbc = Addresses.jdbc(endpoints.node("database").uri().toString());
        local =
            new LocalService(
                ObjectStore.of(jdbc, read.layout(), CONNECTIONS), read.configuration());
      }
      case "http" -> web = new WebService.Shared(CONNECT_MILLIS);
      default ->
          throw new IllegalArgumentException(
              "option protocol: is " + protocol + "; it is local or http");
    }
    settings = read;
  }

  @Override
  public synchronized void close() {
    if (local != null) {
      local.close();
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
