package org.modelstress.topology.connection.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.modelstress.topology.config.Domain;
import org.modelstress.topology.config.Part;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.connection.ConnectionException;
import org.modelstress.topology.data.ObjectState;
import org.modelstress.topology.query.Queries;
import org.modelstress.topology.query.Query;
import org.modelstress.topology.query.QueryException;
import org.modelstress.topology.schema.ObjectType;
import org.modelstress.topology.wire.Reply;
import org.modelstress.topology.wire.Reply.End;
import org.modelstress.topology.wire.Reply.Ended;
import org.modelstress.topology.wire.Request;
import org.modelstress.topology.wire.Target;
import org.modelstress.topology.wire.Write;

/** A store, PostgreSQL or H2, by JDBC: the end of every path of requests. */
public final class JdbcConnection implements org.modelstress.topology.connection.Connection {
  private final String store;
  private final Set<Part> imports;
  private final Topology topology;
  private final Queries queries;
  private final Rows rows;
  private final Store pool;

  /**
   * A connection to a store.
   *
   * @param store its name
   * @param imports what it is asked about
   * @param pool of JDBC connections, which it closes at its end
   */
  public JdbcConnection(String store, Set<Part> imports, Topology topology, Store pool) {
    this.store = store;
    this.imports = Set.copyOf(imports);
    this.topology = topology;
    this.queries = new Queries(topology.schema());
    this.rows = new Rows(topology.schema(), queries, topology.stores().get(store));
    this.pool = pool;
  }

  @Override
  public Set<Part> imports() {
    return imports;
  }

  @Override
  public String peer() {
    return store;
  }

  @Override
  public Reply ask(Request request, long timeoutMillis) throws ConnectionException {
    try {
      if (request instanceof Request.Find find) {
        Query query = queries.get(find.query());
        List<Domain> domains = domains(find.targets(), query.type());
        return read(query.type(), Sql.find(query, find.parameters(), domains));
      }
      if (request instanceof Request.Fetch fetch) {
        ObjectType type = topology.schema().type(fetch.type());
        return read(type, Sql.fetch(type, fetch.oids()));
      }
      if (request instanceof Request.Commit commit) {
        return commit(commit.writes());
      }
      if (pool.branches() == null) {
        return withoutBranches(request);
      }
      if (request instanceof Request.Prepare prepare) {
        return pool.branches()
            .prepare(prepare.branch(), connection -> rows.write(connection, prepare.writes()));
      }
      if (request instanceof Request.Finish finish) {
        return pool.branches().finish(finish.branch(), finish.commit());
      }
      return pool.branches().inDoubt();
    } catch (QueryException e) {
      return new Reply.Failed(false, e.getMessage());
    } catch (SQLTransientConnectionException e) {
      throw ConnectionException.notSent(store + " cannot be reached", e);
    } catch (SQLException e) {
      throw ConnectionException.sent(store + ": " + Causes.sentence(e), e);
    }
  }

  /** H2 binds a prepared branch to its connection, and lost some when it was tried. */
  private Reply withoutBranches(Request request) throws SQLException {
    if (request instanceof Request.InDoubt) {
      pool.open().close(); // whoever asks wants to know, too, whether the store is there
      return new Reply.Branches(new ArrayList<>());
    }
    return new Reply.Failed(
        false,
        "store " + store + " takes no part in transactions on several stores; PostgreSQL does");
  }

  /** The domains of some targets that have objects of a type. */
  private List<Domain> domains(List<Target> targets, ObjectType type) {
    List<Domain> domains = new ArrayList<>();
    for (Target target : targets) {
      Domain domain = topology.domain(target.domain());
      if (domain == null || !domain.definition().containsKey(type)) {
        throw new IllegalArgumentException("domain " + target.domain() + " has no " + type);
      }
      domains.add(domain);
    }
    return domains;
  }

  private Reply read(ObjectType type, Sql sql) throws SQLException {
    try (Connection connection = pool.open()) {
      connection.setAutoCommit(true);
      ArrayList<ObjectState> found = rows.read(connection, type, sql);
      return new Reply.Objects(found);
    }
  }

  /** One-phase commit: all writes in one transaction of the store. */
  private Ended commit(List<Write> writes) throws SQLException, QueryException {
    try (Connection connection = pool.open()) {
      connection.setAutoCommit(false);
      try {
        Ended ended = rows.write(connection, writes);
        if (ended.end() != End.COMMITTED) {
          connection.rollback();
          return ended;
        }
      } catch (SQLException e) {
        rollback(connection);
        return Causes.of(e, store);
      }
      return ended(connection);
    }
  }

  private Ended ended(Connection connection) {
    try {
      connection.commit();
      return Ended.COMMITTED;
    } catch (SQLException e) {
      // PostgreSQL says here that a transaction cannot be serialised; that one is not there
      Ended cause = Causes.of(e, store);
      return cause.end() == End.DEADLOCK ? cause : new Ended(End.UNKNOWN, cause.message());
    }
  }

  private static void rollback(Connection connection) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      System.err.println(
          "rolling back failed: " + Causes.sentence(e)); // the store does, at its end
    }
  }

  @Override
  public void close() {
    pool.close();
  }
}
