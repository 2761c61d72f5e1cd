package org.modelstress.cdo.driver;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import org.eclipse.emf.cdo.common.id.CDOID;
import org.eclipse.emf.cdo.common.id.CDOIDUtil;
import org.eclipse.emf.cdo.net4j.CDONet4jSession;
import org.eclipse.emf.cdo.net4j.CDONet4jSessionConfiguration;
import org.eclipse.emf.cdo.net4j.CDONet4jUtil;
import org.eclipse.emf.cdo.view.CDOQuery;
import org.eclipse.emf.cdo.view.CDOView;
import org.eclipse.net4j.Net4jUtil;
import org.eclipse.net4j.util.container.ContainerUtil;
import org.eclipse.net4j.util.container.IManagedContainer;
import org.eclipse.net4j.util.lifecycle.LifecycleUtil;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.DriverTimeoutException;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Ids;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;

/**
 * A Net4j container with one connection, a CDO session and a view. A container of its own, because
 * Net4j hands out one shared connection per container and address.
 */
final class CdoSession implements Driver.Session {
  static final String REPOSITORY = "modelstress";
  static final long DEFAULT_SIGNAL_TIMEOUT_MS = 10_000;
  private static final long CLOSE_DEADLINE_MS = 1_000;

  private final Options options;
  private final ScheduledExecutorService watch;
  private final IManagedContainer container;
  private Link link;
  private CDONet4jSession session;
  private CDOView view;
  private long countedSent;
  private long countedReceived;

  private CdoSession(Options options, ScheduledExecutorService watch) {
    this.options = options;
    this.watch = watch;
    this.container = ContainerUtil.createContainer();
  }

  static CdoSession open(
      Endpoint endpoint,
      Options options,
      ScheduledExecutorService watch,
      SharedWebSockets webSockets)
      throws DriverException {
    CdoSession opened = new CdoSession(options, watch);
    DriverException failure;
    try (Deadline deadline = new Deadline(watch, options.timeoutMillis())) {
      Link.Maker maker =
          Link.maker(endpoint, options, () -> deadline.fire(Deadline.Cause.CONNECTION), webSockets);
      try {
        opened.connect(endpoint, maker);
        return opened;
      } catch (RuntimeException e) {
        // without a cause: its messages are full of numbers, and none would be told only once
        String why = "no session with " + endpoint.uri() + ": " + opened.reason(e, deadline);
        failure =
            Failures.kind(e, deadline.cause()) == Outcome.Kind.TIMEOUT
                ? new DriverTimeoutException(why, null)
                : new DriverException(why, null);
      }
    }
    opened.close();
    throw failure;
  }

  private void connect(Endpoint endpoint, Link.Maker maker) {
    Net4jUtil.prepareContainer(container);
    maker.prepare(container);
    CDONet4jUtil.prepareContainer(container);
    container.activate();
    try {
      maker.connect(container, endpoint);
    } finally {
      link = maker.made();
    }
    CDONet4jSessionConfiguration configuration = CDONet4jUtil.createNet4jSessionConfiguration();
    configuration.setConnector(link);
    configuration.setRepositoryName(REPOSITORY);
    configuration.setSignalTimeout(signalTimeout());
    session = configuration.openNet4jSession();
    view = session.openView();
  }

  private long signalTimeout() {
    return options.number("signal_timeout_ms", DEFAULT_SIGNAL_TIMEOUT_MS);
  }

  @Override
  public Outcome execute(Operation operation) {
    Outcome outcome;
    try (Deadline deadline = new Deadline(watch, options.timeoutMillis())) {
      link.state().onLoss(() -> deadline.fire(Deadline.Cause.CONNECTION));
      try {
        List<Object> result = query(operation);
        outcome = Outcome.ok(ids(result));
      } catch (RuntimeException e) {
        outcome = Outcome.failed(Failures.kind(e, deadline.cause()), reason(e, deadline));
      } finally {
        link.state().onLoss(() -> {});
      }
    }
    return counted(outcome);
  }

  private List<Object> query(Operation operation) {
    Map<String, Object> parameters = operation.parameters();
    Object language = parameters.getOrDefault("language", "ocl");
    CDOQuery query = view.createQuery(String.valueOf(language), operation.text());
    Object tuple = parameters.get("tuple");
    if (tuple != null) {
      query.setParameter("tuple", tuple);
    }
    // asked for identifiers, CDO returns what the server sent and loads no object
    @SuppressWarnings("unchecked")
    List<Object> result = (List<Object>) (List<?>) query.getResult(CDOID.class);
    return result;
  }

  /** One element per match: an identifier, or an array of them. */
  private static Ids ids(List<Object> matches) {
    int size = 0;
    for (Object match : matches) {
      size += match instanceof Object[] parts ? parts.length : 1;
    }
    long[] ids = new long[size];
    int at = 0;
    for (Object match : matches) {
      if (match instanceof Object[] parts) {
        for (Object part : parts) {
          ids[at++] = CDOIDUtil.getLong((CDOID) part);
        }
      } else {
        ids[at++] = CDOIDUtil.getLong((CDOID) match);
      }
    }
    return new Ids.Longs(ids, size);
  }

  private Outcome counted(Outcome outcome) {
    long sent = link.state().sent();
    long received = link.state().received();
    Outcome counted = outcome.withTraffic(sent - countedSent, received - countedReceived);
    countedSent = sent;
    countedReceived = received;
    return counted;
  }

  private String reason(RuntimeException e, Deadline deadline) {
    if (deadline.cause() == Deadline.Cause.CONNECTION
        && link != null
        && link.state().failure() != null) {
      return "no connection: " + Failures.message(link.state().failure());
    }
    return Failures.sentence(e, deadline.cause(), options.timeoutMillis(), signalTimeout());
  }

  /** Frees the connection and its threads; never waits long for a server that does not answer. */
  @Override
  public void close() {
    Deadline deadline = new Deadline(watch, CLOSE_DEADLINE_MS);
    try {
      if (session != null && !link.state().isLost()) {
        LifecycleUtil.deactivate(session);
      }
      if (link != null) {
        link.release();
      }
      LifecycleUtil.deactivate(container);
    } finally {
      deadline.close();
    }
  }
}
