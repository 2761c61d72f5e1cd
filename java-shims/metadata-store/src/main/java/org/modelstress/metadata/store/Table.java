package org.modelstress.metadata.store;

import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/** A table and its columns, in the order in which rows have them. */
record Table(String name, List<String> columns) {
  /** {@code INSERT} of so many rows. */
  String insert(int rows, Dialect dialect) {
    String row =
        columns.stream()
            .map(column -> column.equals(DocumentLayout.BODY) ? dialect.jsonParameter() : "?")
            .collect(Collectors.joining(", ", "(", ")"));
    return "INSERT INTO "
        + name
        + " ("
        + String.join(", ", columns)
        + ") VALUES "
        + String.join(", ", Collections.nCopies(rows, row));
  }
}
