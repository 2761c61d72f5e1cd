package org.modelstress.topology.manager;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.modelstress.topology.config.Part;
import org.modelstress.topology.connection.Connection;
import org.modelstress.topology.connection.ConnectionException;
import org.modelstress.topology.data.ObjectState;
import org.modelstress.topology.wire.Branch;
import org.modelstress.topology.wire.Reply;
import org.modelstress.topology.wire.Reply.End;
import org.modelstress.topology.wire.Reply.Ended;
import org.modelstress.topology.wire.Request;
import org.modelstress.topology.wire.Target;
import org.modelstress.topology.wire.Write;

/**
 * Requests by the connections that lead to what they are about. What only reads is asked again of
 * another member of a mesh where one does not answer; what writes never is, once it was sent.
 */
final class Exchanges {
  private final Router router;
  private final List<Connection> connections;

  Exchanges(Router router, List<Connection> connections) {
    this.router = router;
    this.connections = List.copyOf(connections);
  }

  /**
   * Objects from all places of some targets, by connection.
   *
   * @param targets where they may be
   * @param request makes the request about some of them
   */
  List<ArrayList<ObjectState>> read(
      Collection<Target> targets, Function<ArrayList<Target>, Request> request, long timeoutMillis)
      throws RoutingException, ConnectionException {
    Set<Connection> failed = new HashSet<>();
    List<ArrayList<ObjectState>> found = new ArrayList<>();
    ArrayList<Target> left = new ArrayList<>(targets);
    while (!left.isEmpty()) {
      Map<Connection, Set<Part>> chosen = router.connections(router.parts(left), failed);
      ArrayList<Target> again = new ArrayList<>();
      for (Map.Entry<Connection, Set<Part>> entry : chosen.entrySet()) {
        ArrayList<Target> its = within(left, entry.getValue());
        ArrayList<ObjectState> some =
            ask(entry.getKey(), request.apply(its), timeoutMillis, failed);
        if (some == null) {
          again.addAll(its);
        } else {
          found.add(some);
        }
      }
      left = again;
    }
    return found;
  }

  private ArrayList<Target> within(Collection<Target> targets, Set<Part> parts)
      throws RoutingException {
    ArrayList<Target> within = new ArrayList<>();
    for (Target target : targets) {
      if (parts.contains(router.part(target.domain(), target.store()))) {
        within.add(target);
      }
    }
    return within;
  }

  /** What a connection answers; null where it fails and another one may not. */
  private ArrayList<ObjectState> ask(
      Connection connection, Request request, long timeoutMillis, Set<Connection> failed)
      throws ConnectionException, RoutingException {
    Reply reply;
    try {
      reply = connection.ask(request, timeoutMillis);
    } catch (ConnectionException e) {
      if (e.late() || failed.size() + 1 == connections.size()) {
        throw e;
      }
      failed.add(connection);
      return null;
    }
    if (reply instanceof Reply.Objects objects) {
      return objects.objects();
    }
    if (reply instanceof Reply.Failed no) {
      if (no.busy() && failed.size() + 1 < connections.size()) {
        failed.add(connection);
        return null;
      }
      throw new RoutingException(no.message());
    }
    throw new RoutingException(connection.peer() + " answered a query with " + reply);
  }

  /** The connections that some parts are written by. */
  Map<Connection, Set<Part>> participants(Set<Part> parts) throws RoutingException {
    return router.connections(parts, Set.of());
  }

  /** Asks one connection to end a transaction; another one of its mesh if nothing was sent. */
  Ended transfer(ArrayList<Write> writes, Set<Part> parts, long timeoutMillis)
      throws RoutingException {
    Set<Connection> failed = new HashSet<>();
    while (true) {
      Map<Connection, Set<Part>> chosen;
      try {
        chosen = router.connections(parts, failed);
      } catch (RoutingException e) {
        if (failed.isEmpty()) {
          throw e;
        }
        return new Ended(End.UNREACHABLE, e.getMessage());
      }
      Connection connection = chosen.keySet().iterator().next();
      try {
        Reply reply = connection.ask(new Request.Commit(writes), timeoutMillis);
        if (reply instanceof Ended ended) {
          return ended;
        }
        if (!(reply instanceof Reply.Failed no)) {
          return new Ended(End.UNKNOWN, connection.peer() + " answered a commit with " + reply);
        }
        if (!no.busy()) {
          throw new RoutingException(no.message());
        }
        failed.add(connection);
      } catch (ConnectionException e) {
        if (e.sent()) {
          return new Ended(End.UNKNOWN, e.getMessage());
        }
        failed.add(connection);
      }
      if (chosen.size() > 1) { // what one connection led to takes several without it
        return new Ended(End.UNREACHABLE, connection.peer() + " cannot be reached");
      }
    }
  }

  /** Prepares a branch on some connections; where one refuses, those before are rolled back. */
  Ended prepare(Branch branch, Map<Connection, ArrayList<Write>> writes, long timeoutMillis) {
    Map<Connection, int[]> prepared = new LinkedHashMap<>();
    Ended refused = null;
    for (Map.Entry<Connection, ArrayList<Write>> entry : writes.entrySet()) {
      prepared.put(entry.getKey(), Write.storesOf(entry.getValue()));
      Ended ended = prepare(entry.getKey(), branch, entry.getValue(), timeoutMillis);
      if (ended.end() != End.COMMITTED) {
        refused = ended;
        break;
      }
    }
    if (refused == null) {
      return Ended.COMMITTED;
    }
    for (Map.Entry<Connection, int[]> entry : prepared.entrySet()) {
      try {
        entry.getKey().ask(new Request.Finish(branch, entry.getValue(), false), timeoutMillis);
      } catch (ConnectionException e) {
        // whoever coordinates rolls it back when it looks for what is in doubt
        System.err.println("not rolled back yet: " + e.getMessage());
      }
    }
    return refused;
  }

  /** Prepares a branch on one connection. */
  static Ended prepare(
      Connection connection, Branch branch, ArrayList<Write> writes, long timeoutMillis) {
    try {
      Reply reply = connection.ask(new Request.Prepare(branch, writes), timeoutMillis);
      if (reply instanceof Ended ended) {
        return ended;
      }
      String message = reply instanceof Reply.Failed no ? no.message() : reply.toString();
      return new Ended(End.UNREACHABLE, message);
    } catch (ConnectionException e) {
      return new Ended(End.UNREACHABLE, e.getMessage());
    }
  }

  /** Stores by the connections that lead to them, whatever the domain. */
  Map<Connection, int[]> byStore(int[] stores) throws RoutingException {
    Map<Connection, int[]> chosen = new LinkedHashMap<>();
    for (int store : stores) {
      Connection connection = router.connectionTo(store);
      chosen.merge(connection, new int[] {store}, Exchanges::both);
    }
    return chosen;
  }

  private static int[] both(int[] some, int[] more) {
    int[] all = Arrays.copyOf(some, some.length + more.length);
    System.arraycopy(more, 0, all, some.length, more.length);
    return all;
  }

  void close() {
    connections.forEach(Connection::close);
  }
}
