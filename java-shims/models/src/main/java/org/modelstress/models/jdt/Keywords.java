package org.modelstress.models.jdt;

import java.lang.reflect.Field;
import java.util.List;
import java.util.stream.Stream;
import org.eclipse.jdt.core.dom.Modifier.ModifierKeyword;

/** The keywords of modifiers; the contest's metamodel has a Boolean feature for each. */
final class Keywords {
  private static final List<String> ALL =
      Stream.of(ModifierKeyword.class.getFields())
          .filter(field -> field.getType() == ModifierKeyword.class)
          .map(Keywords::keyword)
          .sorted()
          .toList();

  private Keywords() {}

  /** All of them, in alphabetical order. */
  static List<String> all() {
    return ALL;
  }

  /** The feature of a keyword: itself, without hyphens ({@code non-sealed}, {@code nonSealed}). */
  static String feature(String keyword) {
    int hyphen = keyword.indexOf('-');
    return hyphen < 0
        ? keyword
        : keyword.substring(0, hyphen)
            + Character.toUpperCase(keyword.charAt(hyphen + 1))
            + keyword.substring(hyphen + 2);
  }

  private static String keyword(Field field) {
    try {
      return field.get(null).toString();
    } catch (IllegalAccessException e) {
      throw new AssertionError("it is public", e);
    }
  }
}
