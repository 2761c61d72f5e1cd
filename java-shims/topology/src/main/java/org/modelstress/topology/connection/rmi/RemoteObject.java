package org.modelstress.topology.connection.rmi;

import java.rmi.Remote;
import java.rmi.RemoteException;

/** A data object of a server: every call goes there and back (Free Data Objects, 7.4). */
public interface RemoteObject extends Remote {
  /** The value of an attribute. */
  Object get(int place) throws RemoteException;

  /** The object that a reference leads to; null where it leads to none. */
  RemoteObject follow(int place) throws RemoteException;
}
