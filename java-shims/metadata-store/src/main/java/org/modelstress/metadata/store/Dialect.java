package org.modelstress.metadata.store;

import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** What databases do their own way. */
enum Dialect {
  POSTGRESQL("jdbc:postgresql:", Set.of("23505"), Set.of("40001", "40P01", "55P03")) {
    @Override
    String keyText() {
      return "VARCHAR(255) COLLATE \"C\"";
    }

    @Override
    String longText() {
      return "TEXT COLLATE \"C\"";
    }

    @Override
    String json() {
      return "JSONB";
    }

    @Override
    String jsonParameter() {
      return "CAST(? AS JSONB)";
    }

    @Override
    BulkInsert bulk() {
      return new CopyInsert();
    }

    @Override
    String analyze(List<String> tables) {
      return "VACUUM ANALYZE " + String.join(", ", tables);
    }

    @Override
    String options(String url, int seconds) {
      return url + "&tcpKeepAlive=true&socketTimeout=" + seconds;
    }
  },

  MARIADB("jdbc:mariadb:", Set.of("23000"), Set.of("40001")) {
    private static final int LOCK_WAIT = 1205;

    @Override
    String keyText() {
      return "VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";
    }

    @Override
    String longText() {
      return "MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";
    }

    @Override
    String json() {
      return "JSON";
    }

    @Override
    String tableEnd() {
      return " ENGINE=InnoDB";
    }

    @Override
    BulkInsert bulk() {
      return new LoadDataInsert();
    }

    @Override
    String analyze(List<String> tables) {
      return "ANALYZE TABLE " + String.join(", ", tables);
    }

    @Override
    String options(String url, int seconds) {
      return url
          + "&useServerPrepStmts=true&allowLocalInfile=true&socketTimeout="
          + seconds * 1_000;
    }

    @Override
    boolean isDeadlock(SQLException e) {
      return super.isDeadlock(e) || e.getErrorCode() == LOCK_WAIT;
    }
  },

  H2("jdbc:h2:", Set.of("23505"), Set.of("40001", "HYT00")) {
    @Override
    String keyText() {
      return "VARCHAR(255)";
    }

    @Override
    String longText() {
      return "VARCHAR(65536)";
    }

    @Override
    String json() {
      return "JSON";
    }

    @Override
    String jsonParameter() {
      return "? FORMAT JSON";
    }
  },

  SQLITE("jdbc:sqlite:", Set.of(), Set.of()) {
    // extended result codes; the driver has no SQLSTATE
    private static final int PRIMARY_KEY = 1_555;
    private static final int UNIQUE = 2_067;
    private static final int BUSY = 5;
    private static final int PRIMARY = 0xff;

    @Override
    String keyText() {
      return "TEXT";
    }

    @Override
    String longText() {
      return "TEXT";
    }

    @Override
    String json() {
      return "TEXT";
    }

    @Override
    String tableEnd() {
      return " WITHOUT ROWID"; // rows are in their primary key, as those of InnoDB
    }

    @Override
    boolean isDuplicate(SQLException e) {
      return code(e) == PRIMARY_KEY || code(e) == UNIQUE;
    }

    @Override
    boolean isDeadlock(SQLException e) {
      return (code(e) & PRIMARY) == BUSY;
    }

    private static int code(SQLException e) {
      return e instanceof org.sqlite.SQLiteException sqlite
          ? sqlite.getResultCode().code
          : e.getErrorCode();
    }

    @Override
    String options(String url, int seconds) {
      return url
          + "?journal_mode=WAL&synchronous=FULL&busy_timeout=10000&transaction_mode=IMMEDIATE";
    }

    @Override
    boolean writesAlone() {
      return true;
    }
  };

  private final String prefix;
  private final Set<String> duplicates;
  private final Set<String> deadlocks;

  Dialect(String prefix, Set<String> duplicates, Set<String> deadlocks) {
    this.prefix = prefix;
    this.duplicates = duplicates;
    this.deadlocks = deadlocks;
  }

  /**
   * The dialect of a URL for JDBC.
   *
   * @throws IllegalArgumentException where it is none of them
   */
  static Dialect of(String url) {
    for (Dialect dialect : values()) {
      if (url.startsWith(dialect.prefix)) {
        return dialect;
      }
    }
    throw new IllegalArgumentException(
        "a store is PostgreSQL, MariaDB, H2 or SQLite, not " + url.split("[/?;]")[0]);
  }

  /** Type of texts in keys; it sorts by code points. */
  abstract String keyText();

  /** Type of texts of any length. */
  abstract String longText();

  /** Type of JSON documents. */
  abstract String json();

  /** How a parameter becomes a JSON document. */
  String jsonParameter() {
    return "?";
  }

  /** What {@code CREATE TABLE} ends with. */
  String tableEnd() {
    return "";
  }

  /** The fastest way to insert many rows. */
  BulkInsert bulk() {
    return new BatchInsert(this);
  }

  /** Lets the database know the data of tables. */
  String analyze(List<String> tables) {
    return "ANALYZE";
  }

  /**
   * The URL with what the driver has to know.
   *
   * @param seconds after which a statement is given up
   */
  String options(String url, int seconds) {
    return url;
  }

  /** Whether one transaction writes at a time, whatever this program does. */
  boolean writesAlone() {
    return false;
  }

  /** Whether somebody else has inserted the same key. */
  boolean isDuplicate(SQLException e) {
    return duplicates.contains(e.getSQLState());
  }

  /** Whether the transaction was ended for the sake of another one and may be tried again. */
  boolean isDeadlock(SQLException e) {
    return deadlocks.contains(e.getSQLState());
  }
}
