package org.modelstress.thrift.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * A connection that says, while its request is in work, whether its client has closed it; Jetty
 * itself looks only when it wants the next request.
 */
final class WatchedEndPoint extends SocketChannelEndPoint {
  private static final int ROOM = 1024;

  private final Executor executor;

  /** What came while nobody read; empty but ready to be written, null at first. */
  private ByteBuffer early;

  WatchedEndPoint(
      SocketChannel channel,
      ManagedSelector selector,
      SelectionKey key,
      Scheduler scheduler,
      Executor executor) {
    super(channel, selector, key, scheduler);
    this.executor = executor;
  }

  /** To be asked only when the request has come whole. What came meanwhile is kept for later. */
  synchronized boolean hasGone() {
    if (early == null) {
      early = ByteBuffer.allocate(ROOM);
    }
    try {
      return early.hasRemaining() && getChannel().read(early) < 0;
    } catch (IOException e) {
      return true;
    }
  }

  private boolean hasEarly() {
    return early != null && early.position() > 0;
  }

  @Override
  public synchronized int fill(ByteBuffer buffer) throws IOException {
    if (!hasEarly()) {
      return super.fill(buffer);
    }
    early.flip();
    int n = BufferUtil.append(buffer, early);
    early.compact();
    return n;
  }

  @Override
  protected void needsFillInterest() {
    boolean there;
    synchronized (this) {
      there = hasEarly();
    }
    if (there) {
      executor.execute(() -> getFillInterest().fillable()); // the selector would see nothing
    } else {
      super.needsFillInterest();
    }
  }
}
