package org.modelstress.metadata.store;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Rows as the text that both {@code COPY} of PostgreSQL and {@code LOAD DATA} of MariaDB read. */
final class TabSeparated {
  private TabSeparated() {}

  static InputStream of(List<Object[]> rows) {
    StringBuilder text = new StringBuilder(rows.size() * 64);
    for (Object[] row : rows) {
      for (int i = 0; i < row.length; i++) {
        if (i > 0) {
          text.append('\t');
        }
        append(text, row[i]);
      }
      text.append('\n');
    }
    return new ByteArrayInputStream(text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static void append(StringBuilder text, Object value) {
    if (!(value instanceof String string)) {
      text.append(value); // no table has a column that may be null
      return;
    }
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      switch (c) {
        case '\\' -> text.append("\\\\");
        case '\t' -> text.append("\\t");
        case '\n' -> text.append("\\n");
        case '\r' -> text.append("\\r");
        default -> text.append(c);
      }
    }
  }
}
