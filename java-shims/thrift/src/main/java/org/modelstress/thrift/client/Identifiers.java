package org.modelstress.thrift.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.modelstress.hawk.api.QueryResult;

/** Takes the identifiers out of a query's result, match by match. */
final class Identifiers {
  /** How Hawk names an element that the result has had already; it may fail to read the type. */
  private static final Pattern REPEATED =
      Pattern.compile("GNW\\|id:([^|]+)\\|(?:type:[^|]*|\\[no meta-info\\])");

  private Identifiers() {}

  /**
   * The identifiers in the order of matches: of an element, of lists of elements, and of maps from
   * the names of a tuple to elements. An element may stand as text, {@code GNW|id:5|type:Switch}:
   * Hawk sends it in full only where it occurs first.
   *
   * @param tuple names in the order of a match
   * @throws IllegalArgumentException if the result holds something else
   */
  static List<String> of(QueryResult result, List<?> tuple) {
    List<String> ids = new ArrayList<>();
    add(result, tuple, ids);
    return ids;
  }

  private static void add(QueryResult result, List<?> tuple, List<String> ids) {
    switch (result.getSetField()) {
      case V_MODEL_ELEMENT -> ids.add(identifier(result));
      case V_STRING -> ids.add(repeated(result.getVString()));
      case V_LIST -> {
        for (QueryResult one : result.getVList()) {
          add(one, tuple, ids);
        }
      }
      case V_MAP -> addMatch(result.getVMap(), tuple, ids);
      default -> throw unexpected(result.getSetField().getFieldName().substring(1));
    }
  }

  private static String repeated(String text) {
    Matcher element = REPEATED.matcher(text);
    if (!element.matches()) {
      throw unexpected("String");
    }
    return element.group(1);
  }

  private static IllegalArgumentException unexpected(String kind) {
    return new IllegalArgumentException(
        "the result has a " + kind + " where model elements were expected");
  }

  private static String identifier(QueryResult element) {
    String id = element.getVModelElement().getId();
    if (id == null) {
      throw new IllegalArgumentException("the result has an element without identifier");
    }
    return id;
  }

  private static void addMatch(Map<String, QueryResult> match, List<?> tuple, List<String> ids) {
    if (tuple.isEmpty()) {
      throw new IllegalArgumentException("the result has maps, but the operation no tuple");
    }
    for (Object name : tuple) {
      QueryResult element = match.get(String.valueOf(name));
      if (element == null) {
        throw new IllegalArgumentException(
            "the result has a match without " + name + ", only " + match.keySet());
      }
      add(element, tuple, ids);
    }
  }
}
