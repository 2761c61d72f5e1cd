package org.modelstress.cdo.websocket;

import java.nio.ByteBuffer;
import java.util.Queue;
import org.eclipse.internal.net4j.buffer.BufferUtil;
import org.eclipse.jetty.websocket.api.BatchMode;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.api.StatusCode;
import org.eclipse.jetty.websocket.api.WriteCallback;
import org.eclipse.net4j.Net4jUtil;
import org.eclipse.net4j.buffer.IBuffer;
import org.eclipse.net4j.channel.ChannelException;
import org.eclipse.net4j.connector.ConnectorException;
import org.eclipse.net4j.protocol.IProtocol;
import org.eclipse.net4j.util.concurrent.SynchronizingCorrelator;
import org.eclipse.net4j.util.concurrent.TimeoutRuntimeException;
import org.eclipse.net4j.util.lifecycle.LifecycleState;
import org.eclipse.net4j.util.security.INegotiationContext;
import org.eclipse.net4j.util.security.NegotiationException;
import org.eclipse.spi.net4j.Connector;
import org.eclipse.spi.net4j.InternalChannel;

/**
 * One end of a Net4j connection over a WebSocket (RFC 6455), full duplex: either end sends whenever
 * it has something to say. A binary message is one {@link Operation}: the four bytes that Net4j
 * leaves free in front of every buffer hold what it is, flags and the channel; the payload follows.
 * So a buffer is written to the socket as it is, without a copy. Opening, acknowledging and closing
 * channels work as in Net4j's TCP transport, and the signals above are the same.
 *
 * <p>A frame is written by the thread that sends it, as far as the socket takes it, and by Jetty's
 * threads otherwise; it never waits for another frame ({@link BatchMode#OFF}). Frames of a channel
 * keep their order. What a slow peer leaves waiting is bounded by {@link SendWindow}.
 */
public abstract class WebSocketConnector extends Connector {
  /** The only path that a server upgrades. */
  public static final String PATH = "/net4j";

  /** How long a closing handshake may take before the socket is closed all the same. */
  static final long CLOSE_MILLIS = 1_000;

  /** Room for several of Net4j's buffers (4,096 bytes each) in one read. */
  public static final int READ_BYTES = 16_384;

  /** One MiB of Net4j's buffers: far above what a peer leaves waiting that reads at all. */
  private static final int WINDOW_FRAMES = 256;

  /** How long the other end may take nothing; a process can be out of breath for a while. */
  private static final long PATIENCE_MILLIS = 60_000;

  private static final String OPENED = "";

  private final boolean noDelay;
  private final SendWindow window;
  private final Object sending = new Object();
  private final SynchronizingCorrelator<Short, String> acknowledgements =
      new SynchronizingCorrelator<>();
  private volatile Session session;
  private volatile boolean ended;

  /**
   * A connector without a connection.
   *
   * @param noDelay whether its socket sends small packets at once (TCP_NODELAY)
   */
  protected WebSocketConnector(boolean noDelay) {
    this(noDelay, WINDOW_FRAMES, PATIENCE_MILLIS);
  }

  WebSocketConnector(boolean noDelay, int windowFrames, long patienceMillis) {
    this.noDelay = noDelay;
    this.window = new SendWindow(windowFrames, patienceMillis);
  }

  /** What Jetty tells of the connection. */
  protected final WebSocketEvents events() {
    return new WebSocketEvents(this);
  }

  /** Called by Jetty's thread when the connection is made. */
  protected void connected(Session made) {
    Sockets.sendAtOnce(made, noDelay);
    made.getRemote().setBatchMode(BatchMode.OFF);
    session = made;
  }

  /** Called by Jetty's thread when Jetty is about to close the WebSocket, or cannot open it. */
  final void ended(Throwable cause) {
    ended = true;
    lost(cause);
  }

  /** The WebSocket; null without a connection. */
  final Session session() {
    return session;
  }

  /**
   * Called when the connection failed, could not be made or was closed by the other end, maybe more
   * than once; never blocks.
   */
  protected void lost(Throwable cause) {
    window.close();
    if (getLifecycleState() == LifecycleState.ACTIVATING) {
      deferredActivate(false);
      disconnect();
    } else if (isActive()) {
      getConfig().getReceiveExecutor().execute(this::deactivate);
    }
  }

  @Override
  public void multiplexChannel(InternalChannel channel) {
    boolean closeAfter;
    synchronized (sending) { // or two threads could send a channel's buffers in the wrong order
      Queue<IBuffer> queue = channel.getSendQueue();
      IBuffer buffer = queue == null ? null : queue.poll();
      if (buffer == null) { // the channel was closed meanwhile
        return;
      }
      closeAfter = buffer.isCCAM();
      if (buffer.getPosition() == IBuffer.HEADER_SIZE) { // Net4j does not send empty ones
        buffer.release();
      } else {
        send(Operation.BUFFER, buffer);
      }
    }
    if (closeAfter) {
      channel.close();
    }
    try {
      window.awaitRoom();
    } catch (ConnectorException e) {
      if (!Thread.currentThread().isInterrupted()) {
        lost(e);
      }
      throw e;
    }
  }

  /** Sends a buffer that was put into, and releases it when it is written. */
  private void send(byte operation, IBuffer buffer) {
    Session open = session;
    if (open == null) {
      buffer.release();
      return;
    }
    ByteBuffer bytes = buffer.getByteBuffer();
    bytes.put(Operation.AT, operation);
    bytes.put(Operation.FLAGS_AT, buffer.isEOS() ? Operation.END_OF_STREAM : 0);
    bytes.putShort(Operation.CHANNEL_AT, buffer.getChannelID());
    bytes.flip();
    window.sent();
    open.getRemote().sendBytes(bytes, new Writing(buffer));
  }

  private final class Writing implements WriteCallback {
    private final IBuffer buffer;

    Writing(IBuffer buffer) {
      this.buffer = buffer;
    }

    @Override
    public void writeSuccess() {
      buffer.release();
      window.written();
    }

    @Override
    public void writeFailed(Throwable cause) {
      writeSuccess();
      lost(cause);
    }
  }

  /** Sends an operation of the connection itself. It never waits for room, nor do replies to it. */
  private void control(byte operation, short channelID, int number, String text) {
    IBuffer buffer = provideBuffer();
    ByteBuffer bytes = buffer.startPutting(channelID);
    bytes.putInt(number);
    BufferUtil.putString(bytes, text, true);
    synchronized (sending) {
      send(operation, buffer);
    }
  }

  /**
   * Takes an operation from the other end, on Jetty's thread.
   *
   * @param buffer positioned behind the header
   * @throws ProtocolViolation if it makes no sense
   */
  void receive(byte operation, IBuffer buffer) {
    switch (operation) {
      case Operation.BUFFER:
        InternalChannel channel = getChannel(buffer.getChannelID());
        if (channel != null) {
          channel.handleBufferFromMultiplexer(buffer);
        } else { // it was closed at this end, which the other end does not know yet
          buffer.release();
        }
        return;
      case Operation.NEGOTIATION:
        negotiate(buffer);
        return;
      default:
        try {
          receiveControl(operation, buffer);
        } finally {
          buffer.release();
        }
    }
  }

  private void receiveControl(byte operation, IBuffer buffer) {
    if (!isConnected()) { // not before the negotiation is over
      throw new ProtocolViolation("operation " + operation + " before the connection is made");
    }
    short channelID = buffer.getChannelID();
    int number = buffer.getInt();
    String text = buffer.getString();
    switch (operation) {
      case Operation.OPEN:
        control(Operation.OPENED, channelID, 0, open(channelID, text, number));
        return;
      case Operation.OPENED:
        acknowledgements.putIfCorrelated(channelID, text);
        return;
      case Operation.CLOSE:
        inverseCloseChannel(channelID);
        return;
      default:
        throw new ProtocolViolation("unknown operation " + operation);
    }
  }

  /** Opens a channel that the other end asked for; says what went wrong, or nothing. */
  private String open(short channelID, String protocolID, int protocolVersion) {
    try {
      inverseOpenChannel(channelID, protocolID, protocolVersion);
      return OPENED;
    } catch (RuntimeException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Override
  protected void registerChannelWithPeer(short channelID, long timeout, IProtocol<?> protocol) {
    var acknowledgement = acknowledgements.correlate(channelID);
    control(
        Operation.OPEN,
        channelID,
        Net4jUtil.getProtocolVersion(protocol),
        Net4jUtil.getProtocolID(protocol));
    String failure = acknowledgement.get(timeout);
    if (failure == null) {
      throw new TimeoutRuntimeException("channel not opened within " + timeout + " ms");
    }
    if (!failure.equals(OPENED)) {
      throw new ChannelException("the other end does not open the channel: " + failure);
    }
  }

  @Override
  protected void deregisterChannelFromPeer(InternalChannel channel) {
    if (channel != null && isConnected()) {
      control(Operation.CLOSE, channel.getID(), 0, null);
    }
  }

  @Override
  protected INegotiationContext createNegotiationContext() {
    return new Negotiation(this);
  }

  /** Sends a step of the negotiation, which was put into this buffer. */
  void sendNegotiation(IBuffer buffer) {
    synchronized (sending) {
      send(Operation.NEGOTIATION, buffer);
    }
  }

  private void negotiate(IBuffer buffer) {
    try {
      INegotiationContext negotiation = getNegotiationContext();
      if (negotiation == null) {
        throw new ProtocolViolation("a negotiation that nobody expects");
      }
      negotiation.getReceiver().receiveBuffer(negotiation, buffer.getByteBuffer());
    } catch (NegotiationException e) {
      setNegotiationException(e);
      lost(e);
    } finally {
      buffer.release();
    }
  }

  @Override
  protected void doDeactivate() throws Exception {
    try {
      super.doDeactivate();
    } finally {
      window.close();
      disconnect();
    }
  }

  /** Closes the WebSocket: at once for a peer that answers, and soon for one that does not. */
  protected final void disconnect() {
    Session open = session;
    session = null;
    if (open != null && ended) { // Jetty says goodbye, and why
      open.setIdleTimeout(CLOSE_MILLIS);
    } else if (open != null) {
      close(open, isClient() ? StatusCode.NORMAL : StatusCode.SHUTDOWN, null);
    }
  }

  static void close(Session session, int status, String reason) {
    session.close(status, reason);
    session.setIdleTimeout(CLOSE_MILLIS);
  }
}
