package org.modelstress.topology.connection.rmi;

import java.net.InetSocketAddress;
import java.rmi.NotBoundException;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import org.modelstress.topology.connection.ConnectionException;

/** A client of {@link RmiListener}; by one thread. */
public final class RmiClient implements AutoCloseable {
  private final RemoteSession session;

  /**
   * Opens a session.
   *
   * @throws ConnectionException where there is no such server
   */
  public RmiClient(String peer, InetSocketAddress address) throws ConnectionException {
    try {
      RemoteManager manager =
          (RemoteManager)
              LocateRegistry.getRegistry(address.getHostString(), address.getPort())
                  .lookup(RmiListener.NAME);
      session = manager.open();
    } catch (RemoteException | NotBoundException | ClassCastException e) {
      throw ConnectionException.notSent(
          peer + " cannot be reached at " + address.getHostString() + ":" + address.getPort(), e);
    }
  }

  /** What the client asks. */
  public RemoteSession session() {
    return session;
  }

  @Override
  public void close() {
    try {
      session.end();
    } catch (RemoteException e) {
      // the server is gone, and the session with it
    }
  }
}
