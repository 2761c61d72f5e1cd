package org.modelstress.hawk.graph.orient;

import com.orientechnologies.orient.core.db.ODatabaseDocumentInternal;
import com.orientechnologies.orient.core.db.ODatabaseRecordThreadLocal;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.modelstress.hawk.graph.GraphException;

/**
 * Database sessions that are used again, the most recently used one first. Unlike those of
 * OrientDB's own pool they keep their level-1 cache, as long as nothing was committed since.
 */
final class SessionPool implements AutoCloseable {
  /** Sessions at most. */
  static final int SESSIONS = 512;

  private static final int DEADLINE_SECONDS = 30;

  /**
   * An idle session with more cached records gives them up: its weak references would stay, of no
   * use, when the collector has taken the records.
   */
  private static final int CACHED_RECORDS = 50_000;

  private final OrientDatabase database;
  private final Semaphore free;
  private final int deadlineMillis;
  private final Deque<Session> idle = new ConcurrentLinkedDeque<>();
  private volatile long commits;
  private volatile boolean closed;

  SessionPool(OrientDatabase database) {
    this(database, SESSIONS, DEADLINE_SECONDS * 1000);
  }

  /**
   * For tests.
   *
   * @param sessions at most
   * @param deadlineMillis how long a caller waits for one, ms
   */
  SessionPool(OrientDatabase database, int sessions, int deadlineMillis) {
    this.database = database;
    this.free = new Semaphore(sessions);
    this.deadlineMillis = deadlineMillis;
  }

  /** A session, lent to one thread. */
  final class Session implements AutoCloseable {
    private final ODatabaseDocumentInternal orient = database.session();
    private long commitsSeen = commits;
    private boolean lent;

    /** OrientDB's session, active on this thread, which may use others in between. */
    ODatabaseDocumentInternal orient() {
      ODatabaseRecordThreadLocal active = ODatabaseRecordThreadLocal.instance();
      if (active.getIfDefined() != orient) {
        active.set(orient);
      }
      return orient;
    }

    private void lend() {
      lent = true;
      long now = commits;
      if (commitsSeen != now) {
        orient.getLocalCache().invalidate();
        commitsSeen = now;
      }
    }

    /** Gives the session back. */
    @Override
    public void close() {
      if (!lent) {
        return;
      }
      lent = false;
      if (orient.getLocalCache().getSize() > CACHED_RECORDS) {
        orient().getLocalCache().shutdown();
      }
      ODatabaseRecordThreadLocal active = ODatabaseRecordThreadLocal.instance();
      if (active.getIfDefined() == orient) {
        active.remove();
      }
      if (closed) {
        end();
      } else {
        idle.push(this);
        free.release();
      }
    }

    private void end() {
      orient().close();
      ODatabaseRecordThreadLocal.instance().remove();
    }
  }

  /**
   * Lends a session.
   *
   * @throws GraphException if all are lent and none comes back in time
   */
  Session lend() {
    if (closed) {
      throw new GraphException("The graph is closed.", null);
    }
    if (!free.tryAcquire()) {
      await();
    }
    Session session = idle.poll();
    try {
      if (session == null) {
        session = new Session();
      }
      session.lend();
      return session;
    } catch (RuntimeException e) {
      free.release();
      throw e;
    }
  }

  private void await() {
    try {
      if (!free.tryAcquire(deadlineMillis, TimeUnit.MILLISECONDS)) {
        throw new GraphException(
            "No session of OrientDB became free within "
                + deadlineMillis
                + " ms; fewer queries at once would help.",
            null);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GraphException("Interrupted while waiting for a session of OrientDB.", e);
    }
  }

  /** Tells that something was committed: caches do not count any more. */
  synchronized void committed() {
    commits++;
  }

  /** Number of sessions that nobody uses. */
  int idle() {
    return idle.size();
  }

  @Override
  public void close() {
    closed = true;
    for (Session session = idle.poll(); session != null; session = idle.poll()) {
      session.end();
    }
  }
}
