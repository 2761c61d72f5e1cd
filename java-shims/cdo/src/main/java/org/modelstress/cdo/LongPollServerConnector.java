package org.modelstress.cdo;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.eclipse.net4j.channel.ChannelException;
import org.eclipse.net4j.http.internal.server.HTTPAcceptor;
import org.eclipse.net4j.http.internal.server.HTTPServerConnector;
import org.eclipse.net4j.util.io.ExtendedDataInputStream;
import org.eclipse.spi.net4j.InternalChannel;

/** Net4j's HTTP server connector, whose output can be waited for. */
final class LongPollServerConnector extends HTTPServerConnector {
  private final Object output = new Object();
  private volatile long lastPoll;

  LongPollServerConnector(HTTPAcceptor acceptor) {
    super(acceptor);
  }

  /** Returns when there is something to send, the connector is closed, or the time is up. */
  void awaitOutput(long millis) throws InterruptedException {
    lastPoll = System.currentTimeMillis();
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    synchronized (output) {
      while (getOutputQueue().isEmpty() && isActive()) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          return;
        }
        TimeUnit.NANOSECONDS.timedWait(output, left);
      }
    }
  }

  private void wake() {
    synchronized (output) {
      output.notifyAll();
    }
  }

  /** Output is written as it is; Net4j would wait 100 ms for more. */
  @Override
  protected boolean pollAgain() {
    return false;
  }

  /** A poll is a sign of life too. */
  @Override
  public long getLastTraffic() {
    return Math.max(super.getLastTraffic(), lastPoll);
  }

  @Override
  public void multiplexChannel(InternalChannel channel) {
    super.multiplexChannel(channel);
    wake();
  }

  @Override
  public void readInputOperations(ExtendedDataInputStream in) throws IOException {
    try {
      super.readInputOperations(in);
    } finally {
      wake(); // opening a channel is acknowledged
    }
  }

  @Override
  protected void deregisterChannelFromPeer(InternalChannel channel) throws ChannelException {
    super.deregisterChannelFromPeer(channel);
    wake();
  }

  @Override
  protected void doDeactivate() throws Exception {
    try {
      super.doDeactivate();
    } finally {
      wake();
    }
  }
}
