package org.modelstress.cdo.websocket;

import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.eclipse.jetty.websocket.common.io.AbstractWebSocketConnection;

/**
 * A socket whose WebSocket frames are read by Jetty's selector thread itself. Jetty would wake
 * another thread for every read, lest the application block the selector; Net4j's transport only
 * hands buffers to Net4j's threads, and reads on its selector's thread with TCP too.
 */
public final class WebSocketEndPoint extends SocketChannelEndPoint {
  /** As {@link SocketChannelEndPoint}. */
  public WebSocketEndPoint(
      SelectableChannel channel, ManagedSelector selector, SelectionKey key, Scheduler scheduler) {
    super(channel, selector, key, scheduler);
  }

  @Override
  public void fillInterested(Callback callback) {
    super.fillInterested(
        getConnection() instanceof AbstractWebSocketConnection ? new Direct(callback) : callback);
  }

  private static final class Direct extends Callback.Nested {
    Direct(Callback callback) {
      super(callback);
    }

    @Override
    public InvocationType getInvocationType() {
      return InvocationType.NON_BLOCKING;
    }
  }
}
