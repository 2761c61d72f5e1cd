package org.modelstress.topology.connection.rmi;

import java.rmi.Remote;
import java.rmi.RemoteException;

/** What one client asks, in transactions of which each begins with its query. */
public interface RemoteSession extends Remote {
  /**
   * Begins a transaction with a query; what the one before had found cannot be used any more.
   *
   * @param text of the query
   * @param parameters of its question marks
   */
  RemoteObject[] query(String text, Object[] parameters) throws RemoteException;

  /** Ends the session. */
  void end() throws RemoteException;
}
