package org.modelstress.mogwai.agreement;

import com.tinkerpop.blueprints.Vertex;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.ocl.ParserException;
import org.modelstress.harness.samples.ElementIds;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.models.ModelException;
import org.modelstress.mogwai.gremlin.QueryEngine;
import org.modelstress.mogwai.store.BulkLoader;
import org.modelstress.mogwai.store.NeoEmfGraph;
import org.modelstress.mogwai.store.Schema;
import org.modelstress.mogwai.store.StoreOptions;
import org.modelstress.queries.Cancellation;
import org.modelstress.queries.FailedQueryException;
import org.modelstress.queries.InvalidQueryException;
import org.modelstress.queries.QueryCancelledException;

/** One model, in memory and in a database, and the two answers to an expression over it. */
final class Agreement implements AutoCloseable {
  /** What came of an expression. */
  enum Verdict {
    AGREED,
    /** Both ways give a result, but not the same one. */
    DISAGREED,
    /** The parser of Eclipse OCL refuses the expression. */
    REJECTED,
    /** The engine says that it does not cover a construct. */
    NOT_COVERED,
    /** They are not the same, but Eclipse OCL's own answer changes with the order of its sets. */
    ORDER_DEPENDENT,
    /** Took Eclipse OCL too many steps. */
    TOO_LONG
  }

  /**
   * An expression's verdict.
   *
   * @param expected Eclipse OCL's answer, or why it has none
   * @param actual the engine's answer
   */
  record Comparison(Verdict verdict, String expected, String actual) {}

  private static final int ORDERS = 60;

  private final List<EObject> elements;
  private final InMemory memory;
  private final Values ofMemory;
  private final Values ofGraph;
  private final NeoEmfGraph graph;
  private final QueryEngine engine;

  /**
   * Writes the database.
   *
   * @param folder where it may be
   */
  Agreement(EObject root, Path folder) throws ModelException, IOException {
    this(root, root, folder);
  }

  /** Of two models, which should be equal. */
  Agreement(EObject root, EObject stored, Path folder) throws ModelException, IOException {
    elements = RandomModels.elements(root);
    memory = new InMemory(elements);
    ofMemory = new Values(memory::indexOf);
    Path ids = folder.resolve("ids.mssf");
    BulkLoader.load(stored, folder.resolve("database"), ids, "0".repeat(64), (done, total) -> {});
    ElementIds indices = IdsFile.read(ids);
    ofGraph = new Values(value -> indexOf(value, indices));
    graph = NeoEmfGraph.open(folder.resolve("database"), Farm.registry(), StoreOptions.DEFAULT);
    engine = new QueryEngine(graph, 0);
  }

  private static Integer indexOf(Object value, ElementIds indices) {
    return value instanceof Vertex vertex
        ? (int) indices.indexOf(vertex.<String>getProperty(Schema.ID))
        : null;
  }

  List<EObject> elements() {
    return elements;
  }

  /** Evaluates an expression in both ways. */
  Comparison compare(Expression expression) {
    InMemory.Query query;
    try {
      query = memory.parse(expression.toString());
    } catch (ParserException | RuntimeException e) {
      return new Comparison(Verdict.REJECTED, String.valueOf(e.getMessage()), "");
    }
    String expected = answer(query, expression, null);
    if (expected.equals(InMemory.TOO_LONG.toString())) {
      return new Comparison(Verdict.TOO_LONG, expected, "");
    }
    String actual;
    try {
      actual = answer(expression);
    } catch (InvalidQueryException e) {
      return new Comparison(Verdict.NOT_COVERED, expected, e.getMessage());
    }
    Verdict verdict =
        expected.equals(actual)
            ? Verdict.AGREED
            : dependsOnOrder(query, expression, expected)
                ? Verdict.ORDER_DEPENDENT
                : Verdict.DISAGREED;
    return new Comparison(verdict, expected, actual);
  }

  private boolean dependsOnOrder(InMemory.Query query, Expression expression, String expected) {
    return memory
        .orders(ORDERS)
        .anyMatch(order -> !answer(query, expression, order).equals(expected));
  }

  private String answer(InMemory.Query query, Expression expression, Order order) {
    String text = ofMemory.text(query.evaluate(order), expression.type());
    // the engine has no value with an invalid part
    return text.contains(Values.INVALID) ? Values.INVALID : text;
  }

  private String answer(Expression expression) throws InvalidQueryException {
    try {
      Object value = engine.run(expression.toString(), new Cancellation());
      String text = ofGraph.text(value, expression.type());
      return Values.showsKind(value, expression.type()) ? text : value.getClass() + " " + text;
    } catch (FailedQueryException e) {
      return e.getCause() == null ? Values.INVALID : e + ", " + e.getCause();
    } catch (QueryCancelledException e) {
      throw new IllegalStateException(e);
    } catch (RuntimeException e) {
      return "thrown " + e;
    }
  }

  @Override
  public void close() {
    graph.close();
  }
}
