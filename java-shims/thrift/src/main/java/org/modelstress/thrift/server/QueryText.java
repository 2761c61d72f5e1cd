package org.modelstress.thrift.server;

import org.modelstress.hawk.api.InvalidQuery;

/** What a query's text may be, before a parser sees it. */
public final class QueryText {
  /** Characters; the longest of this project's queries has about a thousand. */
  public static final int LONGEST = 64 * 1024;

  /** Brackets in each other. */
  public static final int DEEPEST = 200;

  private QueryText() {}

  /**
   * Refuses a text that costs more to parse than queries do.
   *
   * @throws InvalidQuery in one sentence
   */
  public static void check(String text) throws InvalidQuery {
    if (text == null) {
      throw new InvalidQuery("there is no text");
    }
    if (text.length() > LONGEST) {
      throw new InvalidQuery(
          "a query has at most " + LONGEST + " characters, this one has " + text.length());
    }
    int depth = 0;
    for (int i = 0; i < text.length(); i++) {
      switch (text.charAt(i)) {
        case '(', '{', '[' -> depth++;
        case ')', '}', ']' -> depth--;
        default -> {} // no bracket
      }
      if (depth > DEEPEST) {
        throw new InvalidQuery("brackets are nested more than " + DEEPEST + " deep");
      }
    }
  }
}
