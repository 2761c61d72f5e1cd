package org.modelstress.topology.connection.jdbc;

import java.sql.SQLException;
import org.modelstress.topology.wire.Reply.End;
import org.modelstress.topology.wire.Reply.Ended;

/** What errors of PostgreSQL and H2 mean for a transaction. */
final class Causes {
  private Causes() {}

  /** Before the commit was sent: nothing of the transaction is there. */
  static Ended of(SQLException e, String store) {
    return new Ended(end(e), store + ": " + sentence(e));
  }

  private static End end(SQLException e) {
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    return switch (state) {
      case "23505" -> End.VERSION; // an object with this identifier is there
      // deadlock, serialisation, lock timeout of PostgreSQL and H2
      case "40P01", "40001", "55P03", "HYT00" -> End.DEADLOCK;
      default -> End.UNREACHABLE;
    };
  }

  /** The first line of a message. */
  static String sentence(SQLException e) {
    String message = e.getMessage();
    return message == null ? e.toString() : message.lines().findFirst().orElse(e.toString());
  }
}
