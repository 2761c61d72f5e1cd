package org.modelstress.topology.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads replication and integration trees. */
final class TreeParser {
  private static final Pattern TOKEN =
      Pattern.compile("\\s*(?:([a-z][a-z0-9-]*)|([RI])\\s*\\(|([,)]))");
  private static final int DEEPEST = 8;
  private static final int MOST_STORES = 16;

  private final String text;
  private final Matcher tokens;
  private final Set<String> stores = new HashSet<>();
  private int at;
  private int depth;
  private int within;

  TreeParser(String text) {
    this.text = text;
    this.tokens = TOKEN.matcher(text);
  }

  Tree tree() throws ConfigException {
    next();
    if (tokens.group(1) != null) {
      return leaf(tokens.group(1));
    }
    if (tokens.group(2) == null) {
      throw wrong("a store, R( or I( is due where there is " + tokens.group(3));
    }
    boolean replicated = tokens.group(2).equals("R");
    if (!replicated && within > 0) {
      throw wrong("an object of R(…) is in all its stores, so I(…) cannot be a part of it");
    }
    if (++depth > DEEPEST) {
      throw wrong("it is nested at most " + DEEPEST + " deep");
    }
    List<Tree> parts = new ArrayList<>();
    within += replicated ? 1 : 0;
    do {
      parts.add(tree());
      next();
    } while (",".equals(tokens.group(3)));
    if (!")".equals(tokens.group(3))) {
      throw wrong("a comma or ) is due after " + stores);
    }
    depth--;
    within -= replicated ? 1 : 0;
    if (parts.size() < 2) {
      throw wrong("R and I have two parts at least");
    }
    return replicated ? new Tree.Replicated(parts) : new Tree.Integrated(parts);
  }

  private Tree leaf(String store) throws ConfigException {
    if (!stores.add(store)) {
      throw wrong("store " + store + " is there twice");
    }
    if (stores.size() > MOST_STORES) {
      throw wrong("it has at most " + MOST_STORES + " stores");
    }
    return new Tree.Leaf(store);
  }

  void end() throws ConfigException {
    if (at < text.stripTrailing().length()) {
      throw wrong("it should end before " + text.substring(at).strip());
    }
  }

  private void next() throws ConfigException {
    if (!tokens.region(at, text.length()).lookingAt()) {
      String rest = text.substring(at).strip();
      throw wrong(rest.isEmpty() ? "it ends too early" : "not understood from here: " + rest);
    }
    at = tokens.end();
  }

  private ConfigException wrong(String why) {
    return new ConfigException("tree '" + text + "': " + why);
  }
}
