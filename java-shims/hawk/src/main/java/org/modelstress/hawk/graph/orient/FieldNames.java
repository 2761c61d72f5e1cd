package org.modelstress.hawk.graph.orient;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names of labels and keys as OrientDB's documents use them: {@code out_<label>} and {@code
 * in_<label>} for the link bags of edges, as everywhere in OrientDB, and a property under its own
 * name. OrientDB refuses colons and the like in names; such characters become a dollar sign and
 * four hexadecimal digits.
 */
final class FieldNames {
  static final String OUT = "out_";
  static final String IN = "in_";

  /** Names that are not those of properties: edges and entries of indices. */
  private static final Pattern RESERVED =
      Pattern.compile("(out_|in_|" + OrientIndex.KEY + "\\d|" + OrientIndex.TEXT + "\\d).*");

  private static final Pattern ESCAPED = Pattern.compile("\\$(\\p{XDigit}{4})");

  /** A label or key with the fields it stands for. */
  record Name(String property, String out, String in) {}

  private final Map<String, Integer> tokens = new ConcurrentHashMap<>();
  private volatile List<Name> names = List.of();

  /** The token of a label or key. */
  int token(String name) {
    Integer known = tokens.get(name);
    return known != null ? known : add(name);
  }

  private synchronized int add(String name) {
    Integer known = tokens.get(name);
    if (known != null) {
      return known;
    }
    List<Name> longer = new ArrayList<>(names);
    String escaped = escape(name);
    longer.add(new Name(property(name), OUT + escaped, IN + escaped));
    names = longer;
    tokens.put(name, longer.size() - 1);
    return longer.size() - 1;
  }

  /** The field of a property. */
  String property(int key) {
    return names.get(key).property();
  }

  /** The field of the link bag for edges that leave a node or enter it. */
  String edges(int label, boolean out) {
    Name name = names.get(label);
    return out ? name.out() : name.in();
  }

  /** The field of a property. */
  static String property(String name) {
    String escaped = escape(name);
    return RESERVED.matcher(escaped).matches()
        ? hex(escaped.charAt(0)) + escaped.substring(1)
        : escaped;
  }

  /** Whether a field is a property's. */
  static boolean isProperty(String field) {
    return !RESERVED.matcher(field).matches();
  }

  /** Whether a field is a link bag of edges. */
  static boolean isEdges(String field) {
    return field.startsWith(OUT) || field.startsWith(IN);
  }

  /** The field at the other end of the edges of a field. */
  static String opposite(String field) {
    return field.startsWith(OUT)
        ? IN + field.substring(OUT.length())
        : OUT + field.substring(IN.length());
  }

  /** The name of the property of a field. */
  static String name(String field) {
    if (field.indexOf('$') < 0) {
      return field;
    }
    return ESCAPED
        .matcher(field)
        .replaceAll(
            code ->
                Matcher.quoteReplacement(
                    String.valueOf((char) Integer.parseInt(code.group(1), 16))));
  }

  private static String escape(String name) {
    StringBuilder escaped = new StringBuilder(name.length());
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean plain =
          c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_';
      escaped.append(plain ? String.valueOf(c) : hex(c));
    }
    return escaped.toString();
  }

  private static String hex(char c) {
    return String.format("$%04x", (int) c);
  }
}
