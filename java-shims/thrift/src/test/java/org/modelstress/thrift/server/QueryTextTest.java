package org.modelstress.thrift.server;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.hawk.api.InvalidQuery;

/** A text is as long and as deep as its bounds say, and no more. */
class QueryTextTest {
  private static String refusal(String text) {
    return assertThrows(InvalidQuery.class, () -> QueryText.check(text)).getReason();
  }

  @Test
  void aTextMayHave65536Characters() {
    String longest = "x".repeat(65_536);
    assertDoesNotThrow(() -> QueryText.check(longest));
    assertEquals(
        "a query has at most 65536 characters, this one has 65537", refusal(longest + "x"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"()", "{}", "[]", "({[)}]"})
  void bracketsOfAnyKindMayBe200Deep(String kinds) {
    String open = kinds.substring(0, kinds.length() / 2).repeat(200).substring(0, 200);
    String close = kinds.substring(kinds.length() / 2).repeat(200).substring(0, 200);
    assertDoesNotThrow(() -> QueryText.check(open + close));
    assertEquals("brackets are nested more than 200 deep", refusal("(" + open + close + ")"));
  }

  @Test
  void bracketsBesideEachOtherAreNotDeep() {
    assertDoesNotThrow(() -> QueryText.check("(x)[y]{z}".repeat(1_000)));
  }

  @Test
  void aTextThatIsMissingIsRefused() {
    assertEquals("there is no text", refusal(null));
  }
}
