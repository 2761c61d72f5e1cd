package org.modelstress.topology.connection.rmi;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.rmi.NoSuchObjectException;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.RMIServerSocketFactory;
import java.rmi.server.UnicastRemoteObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.modelstress.topology.connection.Listener;
import org.modelstress.topology.manager.DataObject;
import org.modelstress.topology.manager.ObjectManager;
import org.modelstress.topology.manager.Transaction;
import org.modelstress.topology.manager.TransactionException;

/**
 * Lets clients use an object manager by Java RMI, without one of their own. The registry and all
 * objects listen on one port; the process that starts it has a filter of classes ({@code
 * jdk.serialFilter}) that knows those of RMI.
 */
public final class RmiListener implements Listener {
  /** Under which clients find the manager. */
  static final String NAME = "manager";

  private static final int BACKLOG = 1024;

  private final ObjectManager manager;
  private final RMIServerSocketFactory sockets;
  private final Registry registry;
  private final Set<Session> sessions = ConcurrentHashMap.newKeySet();
  private final InetAddress bind;
  private final int asked;
  private final RemoteManager exported = this::open;
  private int port;

  /**
   * Listens.
   *
   * @param address with the port of the registry; 0: any that is free
   * @throws IOException where it cannot be had
   */
  public RmiListener(InetSocketAddress address, ObjectManager manager) throws IOException {
    this.manager = manager;
    this.bind = address.getAddress();
    // stubs name it; it is the same for all of a process
    System.setProperty("java.rmi.server.hostname", bind.getHostAddress());
    this.asked = address.getPort();
    this.sockets = this::socket;
    this.registry = LocateRegistry.createRegistry(asked, null, sockets);
    registry.rebind(NAME, export(exported));
  }

  /** Of all that is exported at one port with one factory there is one. */
  private ServerSocket socket(int wanted) throws IOException {
    ServerSocket socket = new ServerSocket(wanted, BACKLOG, bind);
    port = socket.getLocalPort();
    return socket;
  }

  private <T extends Remote> T export(T object) throws RemoteException {
    @SuppressWarnings("unchecked")
    T stub = (T) UnicastRemoteObject.exportObject(object, asked, null, sockets);
    return stub;
  }

  private static void unexport(Remote object) {
    try {
      UnicastRemoteObject.unexportObject(object, true);
    } catch (NoSuchObjectException e) {
      // it is gone, as it should be
    }
  }

  private RemoteSession open() throws RemoteException {
    Session session = new Session();
    sessions.add(session);
    return export(session);
  }

  @Override
  public InetSocketAddress address() {
    return new InetSocketAddress(bind, port);
  }

  @Override
  public void close() {
    sessions.forEach(Session::close);
    unexport(exported);
    unexport(registry);
  }

  /** What one client uses; RMI may call it from many threads. */
  private final class Session implements RemoteSession {
    private final List<Remote> used = new ArrayList<>();
    private Transaction transaction;

    @Override
    public synchronized RemoteObject[] query(String text, Object[] parameters)
        throws RemoteException {
      forget();
      transaction = manager.begin();
      try {
        List<DataObject> found = transaction.query(text, parameters);
        RemoteObject[] objects = new RemoteObject[found.size()];
        for (int i = 0; i < objects.length; i++) {
          objects[i] = wrapped(found.get(i));
        }
        return objects;
      } catch (TransactionException e) {
        throw new RemoteException(e.getMessage());
      }
    }

    private RemoteObject wrapped(DataObject object) throws RemoteException {
      RemoteObject wrapper = new Wrapper(this, object);
      used.add(wrapper);
      return export(wrapper);
    }

    private void forget() {
      if (transaction != null) {
        transaction.rollback();
        transaction = null;
      }
      used.forEach(RmiListener::unexport);
      used.clear();
    }

    @Override
    public void end() {
      close();
    }

    private synchronized void close() {
      forget();
      sessions.remove(this);
      unexport(this);
    }
  }

  /** A data object of a session's transaction. */
  private static final class Wrapper implements RemoteObject {
    private final Session session;
    private final DataObject object;

    Wrapper(Session session, DataObject object) {
      this.session = session;
      this.object = object;
    }

    @Override
    public Object get(int place) {
      synchronized (session) {
        return object.get(place);
      }
    }

    @Override
    public RemoteObject follow(int place) throws RemoteException {
      synchronized (session) {
        try {
          DataObject target = object.follow(place);
          return target == null ? null : session.wrapped(target);
        } catch (TransactionException e) {
          throw new RemoteException(e.getMessage());
        }
      }
    }
  }
}
