package org.modelstress.cdo.driver;

import java.io.IOException;
import org.apache.commons.httpclient.HttpClient;
import org.apache.commons.httpclient.methods.PostMethod;
import org.eclipse.net4j.internal.http.HTTPClientConnector;
import org.eclipse.net4j.util.io.ExtendedDataInputStream;
import org.eclipse.spi.net4j.InternalChannel;
import org.modelstress.cdo.HttpTransport;
import org.modelstress.harness.spi.Endpoint;

/**
 * Net4j's HTTP connector as it is: it sends what is ready in one request at a time, and polls. Only
 * counted, told when a request fails, and ended where Net4j would leave its thread behind.
 */
final class HttpLink extends HTTPClientConnector implements Link {
  private final LinkState state;
  private final LinkHttpClient client;
  private final int pollMillis;

  /**
   * Not connected yet.
   *
   * @param pollMillis after how long without a request the client polls, looked at every second
   */
  HttpLink(Endpoint endpoint, int pollMillis, Runnable onLoss) {
    state = new LinkState(onLoss);
    client = new LinkHttpClient(endpoint, state, HttpTransport.STOCK);
    this.pollMillis = pollMillis;
    setURL(endpoint.uri().toString());
    setPollInterval(Integer.MAX_VALUE);
  }

  /** Polling begins here: Net4j's poller runs before, and would ask in the name of nobody. */
  @Override
  public void setConnectorID(String connectorID) {
    super.setConnectorID(connectorID);
    setPollInterval(pollMillis);
  }

  @Override
  public LinkState state() {
    return state;
  }

  @Override
  public void release() {
    close();
    client.close();
  }

  @Override
  protected HttpClient createHTTPClient() {
    return client;
  }

  @Override
  protected PostMethod createHTTPMethod(String url) {
    return client.post();
  }

  @Override
  public void readInputOperations(ExtendedDataInputStream in) throws IOException {
    try {
      super.readInputOperations(in);
    } catch (IOException e) {
      client.lose(e);
      throw e;
    }
  }

  @Override
  protected InternalChannel createChannel() {
    return state.countedHttpChannel(() -> {});
  }

  @Override
  protected void doActivate() throws Exception {
    try {
      super.doActivate();
    } catch (Exception e) {
      doDeactivate(); // Net4j would leave its poller running
      throw e;
    }
  }

  @Override
  protected void doDeactivate() throws Exception {
    client.beginClosing();
    super.doDeactivate();
  }
}
