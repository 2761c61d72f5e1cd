package org.modelstress.cdo.driver;

import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.net4j.buffer.IBuffer;
import org.eclipse.net4j.http.internal.common.HTTPChannel;
import org.eclipse.spi.net4j.Channel;
import org.eclipse.spi.net4j.InternalChannel;

/**
 * What is known of a connection in any transport: the bytes of its channels (Net4j's frame headers
 * included, what the transport adds and Net4j's control channel not), and its loss.
 */
final class LinkState {
  /** Channel id and payload size in front of every buffer. */
  private static final int HEADER_BYTES = 4;

  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong received = new AtomicLong();
  private volatile Runnable onLoss;
  private volatile boolean lost;
  private volatile Throwable failure;

  LinkState(Runnable onLoss) {
    this.onLoss = onLoss;
  }

  /** Bytes sent so far. */
  long sent() {
    return sent.get();
  }

  /** Bytes received so far. */
  long received() {
    return received.get();
  }

  /** Why there is no connection, if Net4j said so, else null. */
  Throwable failure() {
    return failure;
  }

  /** Notes why there is no connection. */
  void failed(Throwable cause) {
    failure = cause;
  }

  /** Whether the connection is gone. */
  boolean isLost() {
    return lost;
  }

  /** Notes that the connection is gone. */
  void lose() {
    lost = true;
    onLoss.run();
  }

  /** Runs this, once, when the connection is lost; at once if it already is. */
  void onLoss(Runnable action) {
    onLoss = action;
    if (lost) {
      action.run();
    }
  }

  /** A channel whose bytes are counted. */
  InternalChannel countedChannel() {
    return new CountedChannel();
  }

  /**
   * One for transports that extend Net4j's {@code HTTPConnector}, which number operations.
   *
   * @param onOpening runs when the operation that opens the channel is in the output queue, before
   *     its acknowledgement is waited for
   */
  InternalChannel countedHttpChannel(Runnable onOpening) {
    return new CountedHttpChannel(onOpening);
  }

  private void countSent(IBuffer buffer) {
    int bytes = buffer.getByteBuffer().position();
    if (bytes > HEADER_BYTES) { // Net4j does not send empty buffers
      sent.addAndGet(bytes);
    }
  }

  private void countReceived(IBuffer buffer) {
    // what remains is the payload, whether or not a transport left room for the header
    received.addAndGet(HEADER_BYTES + buffer.getByteBuffer().remaining());
  }

  private final class CountedChannel extends Channel {
    @Override
    public void handleBuffer(IBuffer buffer) {
      countSent(buffer);
      super.handleBuffer(buffer);
    }

    @Override
    public void handleBufferFromMultiplexer(IBuffer buffer) {
      countReceived(buffer);
      super.handleBufferFromMultiplexer(buffer);
    }
  }

  private final class CountedHttpChannel extends HTTPChannel {
    private final Runnable onOpening;

    CountedHttpChannel(Runnable onOpening) {
      this.onOpening = onOpening;
    }

    @Override
    public void waitForOpenAck(long timeout) {
      onOpening.run();
      super.waitForOpenAck(timeout);
    }

    @Override
    public void handleBuffer(IBuffer buffer) {
      countSent(buffer);
      super.handleBuffer(buffer);
    }

    @Override
    public void handleBufferFromMultiplexer(IBuffer buffer) {
      countReceived(buffer);
      super.handleBufferFromMultiplexer(buffer);
    }
  }
}
