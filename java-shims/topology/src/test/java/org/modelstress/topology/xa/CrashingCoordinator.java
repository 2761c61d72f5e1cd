package org.modelstress.topology.xa;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.modelstress.topology.config.Part;
import org.modelstress.topology.connection.Connection;
import org.modelstress.topology.connection.ConnectionException;
import org.modelstress.topology.manager.Coordinator;
import org.modelstress.topology.wire.Reply;
import org.modelstress.topology.wire.Reply.Ended;
import org.modelstress.topology.wire.Request;
import org.modelstress.topology.wire.Write;

/** The real coordinator, on the real connections, which does something at one moment. */
final class CrashingCoordinator implements Coordinator {
  private final Coordinator real;
  private final CrashPoint point;
  private final Runnable crash;
  private int left;
  private int prepares;
  private int commits;

  /** Crashes in the transaction of a number, counted from 1; one thread uses it. */
  CrashingCoordinator(Coordinator real, CrashPoint point, int transaction, Runnable crash) {
    this.real = real;
    this.point = point;
    this.left = transaction;
    this.crash = crash;
  }

  @Override
  public Ended commit(Map<Connection, ArrayList<Write>> writes, long timeoutMillis) {
    left--;
    prepares = 0;
    commits = 0;
    Map<Connection, ArrayList<Write>> watched = new LinkedHashMap<>();
    writes.forEach((connection, its) -> watched.put(new Watched(connection), its));
    return real.commit(watched, timeoutMillis);
  }

  @Override
  public void close() {
    real.close();
  }

  private final class Watched implements Connection {
    private final Connection connection;

    Watched(Connection connection) {
      this.connection = connection;
    }

    @Override
    public Set<Part> imports() {
      return connection.imports();
    }

    @Override
    public String peer() {
      return connection.peer();
    }

    @Override
    public Reply ask(Request request, long timeoutMillis) throws ConnectionException {
      if (request instanceof Request.Prepare) {
        at(prepares++ == 0 ? CrashPoint.BEFORE_PREPARE : CrashPoint.BETWEEN_PREPARES);
      } else if (request instanceof Request.Finish finish && finish.commit()) {
        at(commits++ == 0 ? CrashPoint.AFTER_DECISION : CrashPoint.BETWEEN_COMMITS);
      }
      return connection.ask(request, timeoutMillis);
    }

    private void at(CrashPoint here) {
      if (left == 0 && here == point) {
        crash.run();
      }
    }

    @Override
    public void close() {
      connection.close();
    }
  }
}
