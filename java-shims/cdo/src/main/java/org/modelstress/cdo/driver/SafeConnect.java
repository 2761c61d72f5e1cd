package org.modelstress.cdo.driver;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.net4j.util.container.IManagedContainer;
import org.eclipse.net4j.util.event.IListener;
import org.eclipse.net4j.util.lifecycle.ILifecycle;
import org.eclipse.net4j.util.lifecycle.LifecycleException;
import org.eclipse.net4j.util.lifecycle.LifecycleState;
import org.eclipse.spi.net4j.ConnectorFactory;

/**
 * Connects without Net4j's race between a look and a listener.
 *
 * <p>{@code TCPUtil.getConnector} ends in {@code LifecycleUtil.waitFor}: it looks whether the
 * connector is active and, if not, adds a listener and waits for ten seconds. A connector that
 * becomes active in between tells nobody, and the ten seconds pass. Here the listener comes first.
 */
final class SafeConnect {
  private SafeConnect() {}

  /**
   * Connects to {@code address}, by a connector of this type of factory.
   *
   * @throws LifecycleException if there is no connection after that many milliseconds
   */
  static void connect(IManagedContainer container, String type, String address, long millis) {
    ILifecycle connector =
        (ILifecycle) container.getElement(ConnectorFactory.PRODUCT_GROUP, type, address, false);
    CountDownLatch active = new CountDownLatch(1);
    IListener listener =
        event -> {
          if (connector.getLifecycleState() == LifecycleState.ACTIVE) {
            active.countDown();
          }
        };
    connector.addListener(listener);
    try {
      connector.activate();
      if (!active.await(millis, TimeUnit.MILLISECONDS)
          && connector.getLifecycleState() != LifecycleState.ACTIVE) {
        throw new LifecycleException("no connection within " + millis + " ms: " + connector);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LifecycleException("Interrupted while connecting to " + address);
    } finally {
      connector.removeListener(listener);
    }
  }
}
