package org.modelstress.topology.xa;

import java.util.ArrayList;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.modelstress.topology.connection.Connection;
import org.modelstress.topology.connection.ConnectionException;
import org.modelstress.topology.wire.Branch;
import org.modelstress.topology.wire.Reply;
import org.modelstress.topology.wire.Reply.End;
import org.modelstress.topology.wire.Reply.Ended;
import org.modelstress.topology.wire.Request;
import org.modelstress.topology.wire.Write;

/**
 * What a transaction writes by one connection, as a resource of XA: a store, or a server that
 * prepares its part when it is told to.
 */
final class LinkResource implements XAResource {
  private final Connection connection;
  private final ArrayList<Write> writes;
  private final int[] stores;
  private final long timeoutMillis;
  private Ended refused;

  /** The part of a transaction. */
  LinkResource(Connection connection, ArrayList<Write> writes, int[] stores, long timeoutMillis) {
    this.connection = connection;
    this.writes = writes;
    this.stores = stores;
    this.timeoutMillis = timeoutMillis;
  }

  /** A connection that is looked at for what is in doubt. */
  static LinkResource ofRecovery(Connection connection, int[] stores, long timeoutMillis) {
    return new LinkResource(connection, new ArrayList<>(), stores, timeoutMillis);
  }

  /** Why it was not prepared; null where it was. */
  Ended refused() {
    return refused;
  }

  @Override
  public void start(Xid xid, int flags) {
    // the writes are known already
  }

  @Override
  public void end(Xid xid, int flags) {
    // they are sent when it is prepared
  }

  @Override
  public int prepare(Xid xid) throws XAException {
    Ended ended;
    try {
      Reply reply = connection.ask(new Request.Prepare(Branch.of(xid), writes), timeoutMillis);
      ended = reply instanceof Ended known ? known : new Ended(End.UNREACHABLE, reply.toString());
    } catch (ConnectionException e) {
      ended = new Ended(End.UNREACHABLE, e.getMessage());
    }
    if (ended.end() == End.COMMITTED) {
      return XA_OK;
    }
    refused = ended;
    XAException exception =
        new XAException(
            ended.end() == End.UNREACHABLE ? XAException.XAER_RMFAIL : XAException.XA_RBROLLBACK);
    throw exception;
  }

  @Override
  public void commit(Xid xid, boolean onePhase) throws XAException {
    if (onePhase && prepare(xid) != XA_OK) {
      throw new XAException(XAException.XA_RBROLLBACK);
    }
    finish(xid, true);
  }

  @Override
  public void rollback(Xid xid) throws XAException {
    finish(xid, false);
  }

  private void finish(Xid xid, boolean commit) throws XAException {
    Request request = new Request.Finish(Branch.of(xid), stores, commit);
    if (!(ask(request) instanceof Reply.Done)) {
      throw new XAException(XAException.XAER_RMFAIL); // it is told again later
    }
  }

  @Override
  public Xid[] recover(int flags) throws XAException {
    if ((flags & TMSTARTRSCAN) == 0) {
      return new Xid[0];
    }
    if (ask(new Request.InDoubt(stores)) instanceof Reply.Branches branches) {
      return branches.branches().toArray(new Xid[0]);
    }
    throw new XAException(XAException.XAER_RMFAIL);
  }

  private Reply ask(Request request) throws XAException {
    try {
      return connection.ask(request, timeoutMillis);
    } catch (ConnectionException e) {
      XAException exception = new XAException(XAException.XAER_RMFAIL);
      exception.initCause(e);
      throw exception;
    }
  }

  @Override
  public boolean isSameRM(XAResource other) {
    return other == this;
  }

  @Override
  public void forget(Xid xid) {
    // nothing is kept of what has ended
  }

  @Override
  public int getTransactionTimeout() {
    return 0;
  }

  @Override
  public boolean setTransactionTimeout(int seconds) {
    return false;
  }
}
