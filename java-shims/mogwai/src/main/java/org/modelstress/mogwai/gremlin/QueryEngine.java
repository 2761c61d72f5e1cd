package org.modelstress.mogwai.gremlin;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.tinkerpop.blueprints.impls.neo4j.Neo4jVertex;
import java.util.Collection;
import org.eclipse.ocl.internal.evaluation.NumberUtil;
import org.eclipse.ocl.util.CollectionUtil;
import org.modelstress.mogwai.store.ModelGraph;
import org.modelstress.queries.Cancellation;
import org.modelstress.queries.FailedQueryException;
import org.modelstress.queries.InvalidQueryException;
import org.modelstress.queries.QueryCancelledException;
import org.neo4j.graphdb.Node;

/**
 * Answers OCL queries with Gremlin pipelines over a graph; compiled queries are kept, results
 * never. For any number of threads.
 */
public final class QueryEngine {
  /** Of a result, those in each other counted as often as they are sent. */
  private static final int MOST_VALUES = 50_000_000;

  private static final int STEPS_BETWEEN_LOOKS = 1024;

  private final ModelGraph graph;
  private final Elements elements;
  private final Cache<String, Compiler.Query> compiled;

  /**
   * Over a graph.
   *
   * @param graph stays its caller's
   * @param cachedQueries compiled queries kept at most; 0 for none
   */
  public QueryEngine(ModelGraph graph, int cachedQueries) {
    this.graph = graph;
    this.elements = new Elements(graph);
    this.compiled =
        Caffeine.newBuilder().maximumSize(cachedQueries).executor(Runnable::run).build();
  }

  /**
   * Compiles a query unless it is kept already.
   *
   * @throws InvalidQueryException if the text is no query, or has a construct that is not covered;
   *     the message names it, with line and column
   */
  public void check(String query) throws InvalidQueryException {
    compiled(query);
  }

  private Compiler.Query compiled(String text) throws InvalidQueryException {
    Compiler.Query query = compiled.getIfPresent(text);
    if (query == null) {
      query = Compiler.compile(text, graph.packages());
      compiled.put(text, query);
    }
    return query;
  }

  /** Compiled queries kept now. */
  long kept() {
    compiled.cleanUp();
    return compiled.estimatedSize();
  }

  /**
   * Runs a query to its end.
   *
   * @return a {@code Vertex} of the graph for an element; Boolean, Integer, Long, Double, String;
   *     an {@code EEnumLiteral}; a {@code Collection} of these for a collection (its class shows
   *     the kind: Set, LinkedHashSet for an ordered set, List for a sequence, Eclipse OCL's Bag); a
   *     {@code Map} from part to value, in the order of declaration, for a tuple; null for OCL's
   *     null
   * @throws InvalidQueryException as {@link #check}
   * @throws FailedQueryException if the result is OCL's {@code invalid}, or the store failed
   * @throws QueryCancelledException after {@link Cancellation#cancel}
   */
  public Object run(String query, Cancellation cancellation)
      throws InvalidQueryException, FailedQueryException, QueryCancelledException {
    Compiler.Query plan = compiled(query);
    try {
      return new Result(cancellation).of(plan.value(elements, cancellation));
    } catch (Signal.Cancelled e) {
      throw new QueryCancelledException();
    } catch (Signal.Invalid e) {
      throw new FailedQueryException("The query's result, or a part of it, is invalid.", null);
    } catch (Signal e) {
      throw new FailedQueryException("The query failed: " + e.getMessage() + ".", e.getCause());
    } catch (StackOverflowError e) {
      throw new FailedQueryException("The query's values are nested too deeply.", e);
    } catch (OutOfMemoryError e) { // what the query held is free again; others go on
      throw new FailedQueryException("The query needs more memory than the server has.", e);
    }
  }

  /** A result as callers see it. */
  private final class Result {
    private final Cancellation cancellation;
    private int left = MOST_VALUES;

    Result(Cancellation cancellation) {
      this.cancellation = cancellation;
    }

    /**
     * A value as callers see it.
     *
     * @throws Signal.Invalid if it is invalid
     */
    Object of(Object value) {
      if (value == Plan.INVALID) {
        throw Signal.Invalid.INSTANCE;
      }
      if (--left < 0) {
        throw new Signal.TooLarge("a result has at most " + MOST_VALUES + " values");
      }
      if (left % STEPS_BETWEEN_LOOKS == 0 && cancellation.isCancelled()) {
        throw new Signal.Cancelled();
      }
      if (value instanceof Node node) {
        return new Neo4jVertex(node, graph.graph());
      }
      if (value instanceof Collection<?> all) {
        Collection<Object> results = CollectionUtil.createNewCollectionOfSameKind(all);
        all.forEach(each -> results.add(of(each)));
        return results;
      }
      if (value instanceof TupleValue tuple) {
        return tuple.toMap(this::of);
      }
      return value instanceof Float || value instanceof Short || value instanceof Byte
          ? NumberUtil.coerceNumber((Number) value)
          : value;
    }
  }
}
