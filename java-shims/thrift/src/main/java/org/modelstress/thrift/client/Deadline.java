package org.modelstress.thrift.client;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Closes a channel when time is up, which wakes the thread that connects, writes or reads. */
final class Deadline implements AutoCloseable {
  private final SocketChannel channel;
  private final ScheduledFuture<?> timer;
  private volatile boolean exceeded;

  Deadline(ScheduledExecutorService watch, long millis, SocketChannel channel) {
    this.channel = channel;
    this.timer = watch.schedule(this::exceed, millis, TimeUnit.MILLISECONDS);
  }

  private void exceed() {
    exceeded = true;
    try {
      channel.close();
    } catch (IOException e) {
      // the thread is woken all the same
    }
  }

  /** Whether the time was up before {@link #close}. */
  boolean exceeded() {
    return exceeded;
  }

  @Override
  public void close() {
    timer.cancel(false);
  }
}
