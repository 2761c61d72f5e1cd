package org.modelstress.topology.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.topology.schema.Attribute;
import org.modelstress.topology.schema.ObjectType;
import org.modelstress.topology.schema.Schema;
import org.modelstress.topology.schema.ValueType;

class QueryParserTest {
  private static final ObjectType THING =
      new ObjectType(
          "Thing",
          1,
          List.of(
              new Attribute("number", ValueType.INT, null, false),
              new Attribute("text", ValueType.STRING, null, false),
              new Attribute("flag", ValueType.BOOL, null, false)));
  private static final Schema SCHEMA = new Schema(List.of(THING));

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "number = 5; true",
        "number <> 5; false",
        "number + 3 <= 8; true",
        "number - 3 > 2; false",
        "number BETWEEN 1 AND 5; true",
        "number BETWEEN 1 AND 5 AND flag = TRUE; true",
        "not (number = 5 or number = 6); false",
        "text = 'it''s'; true",
        "text < 'j' AND 4 < number; true",
        "text = NULL; false",
        "number = -5; false",
        "number = 5.0; true",
      })
  void conditionsHoldAsTheySay(String text, boolean holds) throws QueryException {
    Condition condition = QueryParser.condition(text, THING);
    assertEquals(holds, condition.holds(new Object[] {5, "it's", true}, List.of()));
  }

  @Test
  void parametersStandForTheQuestionMarksInTheirOrder() throws QueryException {
    Query query =
        QueryParser.query(
            "SELECT FROM Thing WHERE number > ? AND text = ? ORDER BY text DESC, number", SCHEMA);
    assertEquals(2, query.parameters());
    assertTrue(query.selects(new Object[] {5, "a", null}, List.of(4, "a")));
    assertFalse(query.selects(new Object[] {5, "a", null}, List.of(4, "b")));
    assertEquals(List.of(new Query.Order(1, true), new Query.Order(0, false)), query.order());
  }

  @Test
  void sqlHasValuesBoundAndNeverInItsText() throws QueryException {
    Condition condition = QueryParser.condition("text = 'x''; DROP' AND NOT number + 1 < ?", THING);
    StringBuilder sql = new StringBuilder();
    List<Object> bound = new ArrayList<>();
    condition.toSql(sql, bound, List.of(7));
    assertEquals("(\"text\" = ? AND NOT COALESCE((\"number\" + ?) < ?, FALSE))", sql.toString());
    assertEquals(List.of("x'; DROP", 1L, 7), bound);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "SELECT",
        "SELECT FROM Nothing",
        "SELECT FROM Thing WHERE",
        "SELECT FROM Thing WHERE x = 1",
        "SELECT FROM Thing WHERE number",
        "SELECT FROM Thing WHERE number = ",
        "SELECT FROM Thing ORDER BY",
        "SELECT FROM Thing WHERE number = 1 extra",
        "SELECT FROM Thing; DROP TABLE Thing",
        "SELECT FROM Thing WHERE text = 'open",
        "SELECT FROM Thing WHERE (number = 1",
        "SELECT FROM Thing WHERE number = 99999999999999999999"
      })
  void whatIsNotUnderstoodIsOneSentence(String text) {
    String message =
        assertThrows(QueryException.class, () -> QueryParser.query(text, SCHEMA)).getMessage();
    assertEquals(1, message.lines().count());
  }

  @Test
  void depthAndLengthAreBounded() {
    String deep = "SELECT FROM Thing WHERE " + "(".repeat(3000) + "number = 1" + ")".repeat(3000);
    assertTrue(
        assertThrows(QueryException.class, () -> QueryParser.query(deep, SCHEMA))
            .getMessage()
            .contains("nested at most"));
    String nots = "SELECT FROM Thing WHERE " + "NOT ".repeat(2000) + "number = 1";
    assertThrows(QueryException.class, () -> QueryParser.query(nots, SCHEMA));
    String longer = "SELECT FROM Thing WHERE text = '" + "x".repeat(20_000) + "'";
    assertThrows(QueryException.class, () -> QueryParser.query(longer, SCHEMA));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "number <= 5000; number > 5000; true",
        "number <= 5000; number >= 5000; false",
        "number = ?; number > 5000; true",
        "number BETWEEN 4990 AND 5009; number <= 5000; false",
        "number < 5 OR number > 9; number = 7; false",
        "text = 'a'; number > 5000; false",
        "5001 <= number; number <= 5000; true",
      })
  void whatCannotBothHoldIsFoundWhereItIsPlain(String one, String other, boolean excluded)
      throws QueryException {
    assertEquals(
        excluded,
        Ranges.exclude(
            QueryParser.condition(one, THING),
            Arrays.asList(17),
            QueryParser.condition(other, THING)));
  }
}
