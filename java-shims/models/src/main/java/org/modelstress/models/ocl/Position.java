package org.modelstress.models.ocl;

/** Where something stands in the text of a query. */
public final class Position {
  private Position() {}

  /** {@code line 1, column 1} for offset 0; an offset outside the text means its nearest end. */
  public static String at(String text, int offset) {
    int within = Math.max(0, Math.min(offset, text.length()));
    String before = text.substring(0, within);
    long line = before.chars().filter(c -> c == '\n').count() + 1;
    return "line " + line + ", column " + (within - before.lastIndexOf('\n'));
  }
}
