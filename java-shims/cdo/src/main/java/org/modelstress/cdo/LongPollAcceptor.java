package org.modelstress.cdo;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PushbackInputStream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.eclipse.net4j.connector.IConnector;
import org.eclipse.net4j.http.internal.server.HTTPAcceptor;
import org.eclipse.net4j.http.internal.server.HTTPAcceptorFactory;
import org.eclipse.net4j.http.internal.server.HTTPServerConnector;
import org.eclipse.net4j.util.io.ExtendedDataInputStream;
import org.eclipse.net4j.util.io.ExtendedDataOutputStream;
import org.eclipse.spi.net4j.InternalConnector;

/**
 * Net4j's HTTP acceptor for clients that always have a poll under way. A request without operations
 * is a poll: it is answered when there is something to send. A request with operations is answered
 * at once, with nothing, so that all output goes one way and in order.
 */
final class LongPollAcceptor extends HTTPAcceptor {
  /** Longest time that a poll is held; below Jetty's idle timeout of 30 s. */
  static final long HOLD_MS = 20_000;

  /** The same where too many polls are held already: the pause that Net4j's own polling makes. */
  private static final long CROWDED_HOLD_MS = 100;

  private static final byte NO_OPERATION = 0;

  // Net4j's own map of them is a plain one, and takes part in races of many clients
  private final Map<String, LongPollServerConnector> connectors = new ConcurrentHashMap<>();
  private final Semaphore holds;

  private LongPollAcceptor(int maxThreads) {
    // a held poll takes a thread; requests that bring something must still find one
    holds = new Semaphore(maxThreads * 3 / 4);
    // a client that does not even poll is gone
    setMaxIdleTime((int) (3 * HOLD_MS));
  }

  /** Makes acceptors for a Jetty with this many threads. */
  static final class Factory extends HTTPAcceptorFactory {
    private final int maxThreads;

    Factory(int maxThreads) {
      this.maxThreads = maxThreads;
    }

    @Override
    public HTTPAcceptor create(String description) {
      return new LongPollAcceptor(maxThreads);
    }
  }

  @Override
  protected HTTPServerConnector createServerConnector() {
    return new LongPollServerConnector(this);
  }

  @Override
  public synchronized void addConnector(InternalConnector connector) {
    super.addConnector(connector);
    LongPollServerConnector added = (LongPollServerConnector) connector;
    connectors.put(added.getConnectorID(), added);
  }

  @Override
  public synchronized void removeConnector(IConnector connector) {
    connectors.remove(((LongPollServerConnector) connector).getConnectorID());
    super.removeConnector(connector);
  }

  @Override
  public void handleDisonnect(String id) {
    connector(id).deactivate();
  }

  private LongPollServerConnector connector(String id) {
    LongPollServerConnector connector = id == null ? null : connectors.get(id);
    if (connector == null) {
      throw new IllegalArgumentException("There is no connection " + id + " (any more)");
    }
    return connector;
  }

  @Override
  public void handleOperations(String id, ExtendedDataInputStream in, ExtendedDataOutputStream out)
      throws IOException {
    LongPollServerConnector connector = connector(id);
    PushbackInputStream body = new PushbackInputStream(in);
    int first = body.read();
    if (first < 0) {
      throw new EOFException("The request ends before its operations");
    }
    if (first == NO_OPERATION) {
      hold(connector);
      connector.writeOutputOperations(out);
    } else {
      body.unread(first);
      connector.readInputOperations(new ExtendedDataInputStream(body));
      out.writeByte(NO_OPERATION);
    }
  }

  private void hold(LongPollServerConnector connector) throws IOException {
    boolean roomy = holds.tryAcquire();
    try {
      connector.awaitOutput(roomy ? HOLD_MS : CROWDED_HOLD_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("The server is stopping");
    } finally {
      if (roomy) {
        holds.release();
      }
    }
  }
}
