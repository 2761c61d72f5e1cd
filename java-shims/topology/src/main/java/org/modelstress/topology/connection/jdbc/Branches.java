package org.modelstress.topology.connection.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.modelstress.topology.query.QueryException;
import org.modelstress.topology.wire.Branch;
import org.modelstress.topology.wire.Reply;
import org.modelstress.topology.wire.Reply.End;
import org.modelstress.topology.wire.Reply.Ended;

/** Branches of distributed transactions in a store, by its XA resource. */
final class Branches implements AutoCloseable {
  private static final long WAIT_SECONDS = 10;
  private static final long TRUSTED_NS = 500_000_000;
  private static final int ALIVE_SECONDS = 5;

  /** Writes of a branch. */
  @FunctionalInterface
  interface Work {
    /** Does them; committed where all checks hold. */
    Ended run(Connection connection) throws SQLException, QueryException;
  }

  private final String store;
  private final XADataSource source;
  private final Semaphore free;
  private final BlockingQueue<Idle> idle;

  /** A connection that nobody uses since a moment of the monotonic clock. */
  private record Idle(XAConnection connection, long sinceNs) {}

  Branches(String store, XADataSource source, int size) {
    this.store = store;
    this.source = source;
    this.free = new Semaphore(size);
    this.idle = new ArrayBlockingQueue<>(size);
  }

  /** Does the work of a branch and prepares it; where that cannot be, nothing of it is left. */
  Ended prepare(Branch branch, Work work) throws SQLException, QueryException {
    XAConnection connection = take();
    boolean good = false;
    try {
      XAResource resource = connection.getXAResource();
      resource.start(branch, XAResource.TMNOFLAGS);
      Ended ended;
      try {
        ended = work.run(connection.getConnection());
      } catch (SQLException e) {
        ended = Causes.of(e, store);
      }
      if (ended.end() != End.COMMITTED) {
        resource.end(branch, XAResource.TMFAIL);
        resource.rollback(branch);
        good = true;
        return ended;
      }
      resource.end(branch, XAResource.TMSUCCESS);
      resource.prepare(branch);
      good = true;
      return ended;
    } catch (XAException e) {
      return new Ended(End.UNREACHABLE, store + ": " + sentence(e));
    } finally {
      giveBack(connection, good);
    }
  }

  /** Ends a prepared branch; done, too, where the store does not know it any more. */
  Reply finish(Branch branch, boolean commit) throws SQLException {
    XAConnection connection = take();
    boolean good = false;
    try {
      XAResource resource = connection.getXAResource();
      if (commit) {
        resource.commit(branch, false);
      } else {
        resource.rollback(branch);
      }
      good = true;
      return new Reply.Done();
    } catch (XAException e) {
      if (e.errorCode == XAException.XAER_NOTA) {
        good = true;
        return new Reply.Done();
      }
      throw new SQLException(sentence(e), e);
    } finally {
      giveBack(connection, good);
    }
  }

  /** Branches that are prepared. */
  Reply inDoubt() throws SQLException {
    XAConnection connection = take();
    boolean good = false;
    try {
      XAResource resource = connection.getXAResource();
      ArrayList<Branch> branches = new ArrayList<>();
      for (Xid xid : resource.recover(XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN)) {
        branches.add(Branch.of(xid));
      }
      good = true;
      return new Reply.Branches(branches);
    } catch (XAException e) {
      throw new SQLException(sentence(e), e);
    } finally {
      giveBack(connection, good);
    }
  }

  private static String sentence(XAException e) {
    Throwable cause = e.getCause();
    String message = cause instanceof SQLException sql ? Causes.sentence(sql) : e.getMessage();
    return "XA error " + e.errorCode + (message == null ? "" : ", " + message);
  }

  private XAConnection take() throws SQLException {
    try {
      if (!free.tryAcquire(WAIT_SECONDS, TimeUnit.SECONDS)) {
        throw new SQLException("no connection to " + store + " within " + WAIT_SECONDS + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException("interrupted while waiting for a connection to " + store);
    }
    try {
      for (Idle known = idle.poll(); known != null; known = idle.poll()) {
        if (isAlive(known)) {
          return known.connection;
        }
        close(known.connection);
      }
      return source.getXAConnection();
    } catch (SQLException e) {
      free.release();
      throw e;
    }
  }

  /** A store that was started again has none of its connections; as the pool for one store does. */
  private static boolean isAlive(Idle known) {
    try {
      return System.nanoTime() - known.sinceNs < TRUSTED_NS
          || known.connection.getConnection().isValid(ALIVE_SECONDS);
    } catch (SQLException e) {
      return false;
    }
  }

  private void close(XAConnection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      System.err.println("closing a connection to " + store + " failed: " + e.getMessage());
    }
  }

  private void giveBack(XAConnection connection, boolean good) {
    try {
      if (!good || !idle.offer(new Idle(connection, System.nanoTime()))) {
        close(connection);
      }
    } finally {
      free.release();
    }
  }

  @Override
  public void close() {
    for (Idle known = idle.poll(); known != null; known = idle.poll()) {
      close(known.connection);
    }
  }
}
