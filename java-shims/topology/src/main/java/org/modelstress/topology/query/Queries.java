package org.modelstress.topology.query;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.modelstress.topology.schema.ObjectType;
import org.modelstress.topology.schema.Schema;

/** Parsed queries and conditions, of which the last thousands are kept. */
public final class Queries {
  private static final int KEPT = 4096;

  private record ConditionKey(int type, String text) {}

  private final Schema schema;
  private final Cache<String, Query> queries = Caffeine.newBuilder().maximumSize(KEPT).build();
  private final Cache<ConditionKey, Condition> conditions =
      Caffeine.newBuilder().maximumSize(KEPT).build();

  /** Queries on the types of a schema. */
  public Queries(Schema schema) {
    this.schema = schema;
  }

  /**
   * The query of a text.
   *
   * @throws QueryException naming what is not understood
   */
  public Query get(String text) throws QueryException {
    Query query = queries.getIfPresent(text);
    if (query == null) {
      query = QueryParser.query(text, schema);
      queries.put(text, query);
    }
    return query;
  }

  /**
   * The condition of a text on objects of a type.
   *
   * @throws QueryException naming what is not understood
   */
  public Condition condition(String text, ObjectType type) throws QueryException {
    ConditionKey key = new ConditionKey(type.code(), text);
    Condition condition = conditions.getIfPresent(key);
    if (condition == null) {
      condition = QueryParser.condition(text, type);
      conditions.put(key, condition);
    }
    return condition;
  }
}
