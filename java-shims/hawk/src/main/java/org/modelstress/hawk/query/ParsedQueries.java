package org.modelstress.hawk.query;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.List;
import org.modelstress.queries.InvalidQueryException;

/** Parsed queries by their text, never results; the least used go first. */
final class ParsedQueries {
  private static final long MAX_CHARACTERS = 4_000_000;

  private record Key(Language language, String text, List<String> namespaces) {}

  private final GraphTokens tokens;

  private final Cache<Key, ParsedQuery> queries =
      Caffeine.newBuilder()
          .maximumWeight(MAX_CHARACTERS)
          .weigher((Key key, ParsedQuery query) -> key.text().length() + 500)
          .executor(Runnable::run)
          .build();

  ParsedQueries(GraphTokens tokens) {
    this.tokens = tokens;
  }

  ParsedQuery get(Language language, String text, TypeNames names) throws InvalidQueryException {
    Key key = new Key(language, text, names.namespaces());
    ParsedQuery known = queries.getIfPresent(key);
    if (known == null) {
      known = ParsedQuery.compiled(language, text, names, tokens);
      queries.put(key, known);
    }
    return known;
  }
}
