package org.modelstress.topology.query;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A word, number, text or sign of a query, and its value. */
record Token(Kind kind, String text, Object value) {
  enum Kind {
    WORD,
    NUMBER,
    TEXT,
    SIGN
  }

  private static final Pattern PATTERN =
      Pattern.compile(
          "\\s*(?:(?<word>[A-Za-z_][A-Za-z0-9_]*)"
              + "|(?<real>\\d{1,30}\\.\\d{1,30}(?:[eE][+-]?\\d{1,3})?)|(?<whole>\\d{1,19})"
              + "|'(?<text>(?:[^']|'')*+)'|(?<sign><=|>=|<>|[=<>?(),+-]))");

  /**
   * All tokens of a text.
   *
   * @throws QueryException naming where none begins
   */
  static List<Token> all(String text) throws QueryException {
    List<Token> tokens = new ArrayList<>();
    String stripped = text.stripTrailing();
    Matcher matcher = PATTERN.matcher(stripped);
    int at = 0;
    while (at < stripped.length()) {
      if (!matcher.region(at, stripped.length()).lookingAt()) {
        String rest = stripped.substring(at, Math.min(at + 20, stripped.length())).strip();
        throw new QueryException("not understood from here: " + rest);
      }
      tokens.add(of(matcher));
      at = matcher.end();
    }
    return tokens;
  }

  private static Token of(Matcher found) throws QueryException {
    if (found.group("word") != null) {
      return new Token(Kind.WORD, found.group("word"), null);
    }
    if (found.group("text") != null) {
      String text = found.group("text");
      return new Token(Kind.TEXT, "'" + text + "'", text.replace("''", "'"));
    }
    if (found.group("sign") != null) {
      return new Token(Kind.SIGN, found.group("sign"), null);
    }
    String real = found.group("real");
    if (real != null) {
      return new Token(Kind.NUMBER, real, Double.valueOf(real));
    }
    String whole = found.group("whole");
    try {
      return new Token(Kind.NUMBER, whole, Long.valueOf(whole));
    } catch (NumberFormatException e) {
      throw new QueryException(whole + " is too large a number");
    }
  }

  boolean isWord(String word) {
    return kind == Kind.WORD && text.equalsIgnoreCase(word);
  }

  boolean isSign(String sign) {
    return kind == Kind.SIGN && text.equals(sign);
  }
}
