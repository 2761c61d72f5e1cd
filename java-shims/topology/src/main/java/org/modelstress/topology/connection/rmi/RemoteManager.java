package org.modelstress.topology.connection.rmi;

import java.rmi.Remote;
import java.rmi.RemoteException;

/** An object manager whose data objects are used where they are, by one call for each attribute. */
public interface RemoteManager extends Remote {
  /** A session of a client. */
  RemoteSession open() throws RemoteException;
}
