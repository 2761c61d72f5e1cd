package org.modelstress.cdo.driver;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.commons.httpclient.methods.ByteArrayRequestEntity;
import org.apache.commons.httpclient.methods.PostMethod;
import org.eclipse.net4j.channel.ChannelException;
import org.eclipse.net4j.http.internal.common.HTTPConnector;
import org.eclipse.net4j.util.io.ExtendedDataInputStream;
import org.eclipse.net4j.util.io.ExtendedDataOutputStream;
import org.eclipse.spi.net4j.InternalChannel;
import org.modelstress.cdo.HttpTransport;
import org.modelstress.harness.spi.Endpoint;

/**
 * Net4j's operations over HTTP with a poll always under way, which the server answers when it has
 * something; what the client has to say goes at once, in requests of its own on a second
 * connection. One thread polls and one sends, so that neither direction overtakes itself.
 */
final class LongPollLink extends HTTPConnector implements Link {
  /** How long a thread may take to end by itself, before it is interrupted. */
  private static final long END_MS = 100;

  private static final byte NO_OPERATION = 0;

  private final String url;
  private final LinkState state;
  private final LinkHttpClient sending;
  private final LinkHttpClient polling;
  private final Thread sender = thread(this::send, "cdo-http-send");
  private final Thread poller = thread(this::poll, "cdo-http-poll");
  private final Object output = new Object();
  private volatile boolean closing;
  private int maxIdleTime;

  /** Not connected yet. */
  LongPollLink(Endpoint endpoint, Runnable onLoss) {
    url = endpoint.uri().toString();
    state = new LinkState(onLoss);
    sending = new LinkHttpClient(endpoint, state, HttpTransport.LONG_POLL);
    polling = new LinkHttpClient(endpoint, state, HttpTransport.LONG_POLL);
  }

  private static Thread thread(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public LinkState state() {
    return state;
  }

  @Override
  public void release() {
    close();
    sending.close();
    polling.close();
  }

  @Override
  public Location getLocation() {
    return Location.CLIENT;
  }

  @Override
  public String getURL() {
    return url;
  }

  @Override
  public int getMaxIdleTime() {
    return maxIdleTime;
  }

  @Override
  protected void doActivate() throws Exception {
    super.doActivate();
    try {
      request(sending, OPCODE_CONNECT, out -> out.writeString(getUserID()), this::connected);
    } catch (Exception e) {
      doDeactivate();
      throw e;
    }
    sender.start();
    poller.start();
    leaveConnecting();
  }

  private void connected(ExtendedDataInputStream in) throws IOException {
    String id = in.readString();
    if (id == null) {
      throw new IOException("the server refuses connections");
    }
    setConnectorID(id);
    maxIdleTime = in.readInt();
  }

  private void send() {
    try {
      while (awaitOutput()) {
        request(sending, OPCODE_OPERATIONS, this::writeOutput, this::readInputOperations);
      }
    } catch (IOException | RuntimeException e) {
      sending.lose(e);
    }
  }

  private void writeOutput(ExtendedDataOutputStream out) throws IOException {
    out.writeString(getConnectorID());
    writeOutputOperations(out);
  }

  private void poll() {
    try {
      while (!closing) {
        request(polling, OPCODE_OPERATIONS, this::writeNothing, this::readInputOperations);
      }
    } catch (IOException | RuntimeException e) {
      polling.lose(e);
    }
  }

  private void writeNothing(ExtendedDataOutputStream out) throws IOException {
    out.writeString(getConnectorID());
    out.writeByte(NO_OPERATION);
  }

  private interface Body {
    void write(ExtendedDataOutputStream out) throws IOException;
  }

  private interface Answer {
    void read(ExtendedDataInputStream in) throws IOException;
  }

  private static void request(LinkHttpClient client, int opcode, Body body, Answer answer)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ExtendedDataOutputStream out = new ExtendedDataOutputStream(bytes);
    out.writeByte(opcode);
    body.write(out);
    out.flush();
    PostMethod post = client.post();
    post.setRequestEntity(new ByteArrayRequestEntity(bytes.toByteArray()));
    try {
      client.executeMethod(post);
      answer.read(new ExtendedDataInputStream(post.getResponseBodyAsStream()));
    } finally {
      post.releaseConnection();
    }
  }

  /** Waits for something to send; false when the connector closes. */
  private boolean awaitOutput() {
    synchronized (output) {
      try {
        while (getOutputQueue().isEmpty() && !closing) {
          output.wait();
        }
      } catch (InterruptedException e) {
        return false;
      }
      return !closing;
    }
  }

  private void wake() {
    synchronized (output) {
      output.notifyAll();
    }
  }

  @Override
  protected InternalChannel createChannel() {
    return state.countedHttpChannel(this::wake);
  }

  @Override
  public void multiplexChannel(InternalChannel channel) {
    super.multiplexChannel(channel);
    wake();
  }

  @Override
  protected void deregisterChannelFromPeer(InternalChannel channel) throws ChannelException {
    super.deregisterChannelFromPeer(channel);
    wake();
  }

  /** Says goodbye, upon which the server answers the poll. */
  @Override
  protected void doDeactivate() throws Exception {
    sending.beginClosing();
    polling.beginClosing();
    closing = true;
    wake();
    request(sending, OPCODE_DISCONNECT, out -> out.writeString(getConnectorID()), in -> {});
    end(sender);
    end(poller);
    super.doDeactivate();
  }

  private static void end(Thread thread) {
    try {
      thread.join(END_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    thread.interrupt(); // closes its socket
  }
}
