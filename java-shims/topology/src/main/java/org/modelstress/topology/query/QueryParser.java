package org.modelstress.topology.query;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.modelstress.topology.query.Condition.Comparator;
import org.modelstress.topology.query.Condition.Comparison;
import org.modelstress.topology.query.Condition.Several;
import org.modelstress.topology.schema.ObjectType;
import org.modelstress.topology.schema.Schema;

/**
 * Parses queries, and the conditions of domains and predicate checks.
 *
 * <pre>
 * query     = SELECT FROM Type [WHERE any] [ORDER BY attribute [ASC|DESC] {, attribute [ASC|DESC]}]
 * any       = all {OR all}
 * all       = one {AND one}
 * one       = NOT one | ( any ) | sum comparator sum | sum BETWEEN sum AND sum
 * sum       = operand {(+|-) operand}
 * operand   = attribute | number | 'text' | TRUE | FALSE | NULL | ?
 * </pre>
 *
 * Words of the language are written in whatever case, names as they are. Texts of at most 10,000
 * characters and conditions nested at most 50 deep are understood.
 */
public final class QueryParser {
  private static final int LONGEST = 10_000;
  private static final int DEEPEST = 50;

  private final List<Token> tokens;
  private int at;
  private int depth;
  private int parameters;
  private ObjectType type;

  private QueryParser(String text) throws QueryException {
    if (text.length() > LONGEST) {
      throw new QueryException("a query has at most " + LONGEST + " characters");
    }
    tokens = Token.all(text);
  }

  /**
   * Parses a query.
   *
   * @throws QueryException naming what is not understood
   */
  public static Query query(String text, Schema schema) throws QueryException {
    QueryParser parser = new QueryParser(text);
    Query query = parser.whole(text, schema);
    parser.end();
    return query;
  }

  /**
   * Parses a condition on objects of a type.
   *
   * @throws QueryException naming what is not understood
   */
  public static Condition condition(String text, ObjectType type) throws QueryException {
    QueryParser parser = new QueryParser(text);
    parser.type = type;
    Condition condition = parser.any();
    parser.end();
    return condition;
  }

  private Query whole(String text, Schema schema) throws QueryException {
    expect("SELECT");
    expect("FROM");
    String name = name("a type");
    type = schema.type(name);
    if (type == null) {
      throw new QueryException("there is no type " + name);
    }
    Condition condition = accept("WHERE") ? any() : null;
    List<Query.Order> order = new ArrayList<>();
    if (accept("ORDER")) {
      expect("BY");
      do {
        int place = place(name("an attribute"));
        boolean descending = accept("DESC");
        if (!descending) {
          accept("ASC");
        }
        order.add(new Query.Order(place, descending));
      } while (acceptSign(","));
    }
    return new Query(text, type, condition, List.copyOf(order), parameters);
  }

  private Condition any() throws QueryException {
    List<Condition> parts = new ArrayList<>(List.of(all()));
    while (accept("OR")) {
      parts.add(all());
    }
    return parts.size() == 1 ? parts.get(0) : new Several(false, List.copyOf(parts));
  }

  private Condition all() throws QueryException {
    List<Condition> parts = new ArrayList<>(List.of(one()));
    while (accept("AND")) {
      parts.add(one());
    }
    return parts.size() == 1 ? parts.get(0) : new Several(true, List.copyOf(parts));
  }

  private Condition one() throws QueryException {
    if (++depth > DEEPEST) {
      throw new QueryException("a condition is nested at most " + DEEPEST + " deep");
    }
    try {
      if (accept("NOT")) {
        return new Condition.Not(one());
      }
      if (acceptSign("(")) {
        Condition inner = any();
        expectSign(")");
        return inner;
      }
      return comparison();
    } finally {
      depth--;
    }
  }

  private Condition comparison() throws QueryException {
    Operand left = sum();
    if (accept("BETWEEN")) {
      Operand low = sum();
      expect("AND");
      Operand high = sum();
      return new Several(
          true,
          List.of(
              new Comparison(left, Comparator.AT_LEAST, low),
              new Comparison(left, Comparator.AT_MOST, high)));
    }
    Token sign = next("a comparison");
    for (Comparator comparator : Comparator.values()) {
      if (sign.isSign(comparator.sign())) {
        return new Comparison(left, comparator, sum());
      }
    }
    throw new QueryException("a comparison is due where there is " + sign.text());
  }

  private Operand sum() throws QueryException {
    Operand sum = operand();
    while (peekSign("+") || peekSign("-")) {
      boolean minus = tokens.get(at++).isSign("-");
      sum = new Operand.Sum(sum, minus, operand());
    }
    return sum;
  }

  private Operand operand() throws QueryException {
    Token token = next("a value");
    return switch (token.kind()) {
      case NUMBER, TEXT -> new Operand.Literal(token.value());
      case WORD -> word(token.text());
      case SIGN -> {
        if (token.isSign("?")) {
          yield new Operand.Parameter(parameters++);
        }
        if (token.isSign("-") && at < tokens.size()) {
          yield new Operand.Literal(negative(next("a number")));
        }
        throw new QueryException("a value is due where there is " + token.text());
      }
    };
  }

  private static Object negative(Token token) throws QueryException {
    if (token.value() instanceof Long whole) {
      return -whole;
    }
    if (token.value() instanceof Double real) {
      return -real;
    }
    throw new QueryException("a number is due after - where there is " + token.text());
  }

  private Operand word(String word) throws QueryException {
    return switch (word.toUpperCase(Locale.ROOT)) {
      case "TRUE" -> new Operand.Literal(true);
      case "FALSE" -> new Operand.Literal(false);
      case "NULL" -> new Operand.Literal(null);
      default -> new Operand.Column(type, place(word));
    };
  }

  private int place(String attribute) throws QueryException {
    int place = type.place(attribute);
    if (place < 0) {
      throw new QueryException("type " + type.name() + " has no attribute " + attribute);
    }
    return place;
  }

  private Token next(String due) throws QueryException {
    if (at == tokens.size()) {
      throw new QueryException("the query ends where " + due + " is due");
    }
    return tokens.get(at++);
  }

  private String name(String due) throws QueryException {
    Token token = next(due);
    if (token.kind() != Token.Kind.WORD) {
      throw new QueryException(due + " is due where there is " + token.text());
    }
    return token.text();
  }

  private boolean accept(String word) {
    if (at < tokens.size() && tokens.get(at).isWord(word)) {
      at++;
      return true;
    }
    return false;
  }

  private void expect(String word) throws QueryException {
    if (!accept(word)) {
      String there = at < tokens.size() ? "there is " + tokens.get(at).text() : "the query ends";
      throw new QueryException(word + " is due where " + there);
    }
  }

  private boolean peekSign(String sign) {
    return at < tokens.size() && tokens.get(at).isSign(sign);
  }

  private boolean acceptSign(String sign) {
    if (peekSign(sign)) {
      at++;
      return true;
    }
    return false;
  }

  private void expectSign(String sign) throws QueryException {
    if (!acceptSign(sign)) {
      String there = at < tokens.size() ? "there is " + tokens.get(at).text() : "the query ends";
      throw new QueryException(sign + " is due where " + there);
    }
  }

  private void end() throws QueryException {
    if (at < tokens.size()) {
      throw new QueryException("the query should end where there is " + tokens.get(at).text());
    }
  }
}
