package org.modelstress.hawk.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.eclipse.emf.ecore.EObject;
import org.junit.jupiter.api.Test;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.models.QueryException;
import org.modelstress.models.eol.EolQuery;
import org.modelstress.queries.Cancellation;
import org.modelstress.queries.FailedQueryException;

/**
 * Random conditions over small random models: what indices answer, what is evaluated without them,
 * compiled or interpreted, and what Epsilon finds in the EMF model are the same.
 */
class LookupPropertyTest {
  private static final String FAILED = "failed";
  private static final List<String> RELATIONS = List.of("=", "<>", "<", "<=", ">", ">=");
  private static final List<String> VALUES =
      List.of(
          "0",
          "1",
          "-2",
          "3",
          "1.5",
          "-0.5",
          "0.0",
          "1.5d",
          "-0.5d",
          "0.0d",
          "1099511627776",
          "9007199254740993",
          "'a'",
          "''",
          "true",
          "false",
          "null",
          "limit",
          "nothing",
          "Special.all.size()",
          "first.n",
          "first.m",
          "first.best.n",
          "(limit - 1)",
          "-limit");

  /** What one way of evaluation gives: indices of elements, or that it fails. */
  private interface Way {
    Object evaluate(String text) throws Exception;
  }

  private static String condition(Random random, int depth) {
    if (depth == 0 || random.nextInt(4) == 0) {
      return atom(random);
    }
    return switch (random.nextInt(5)) {
      case 0, 1 ->
          "(" + condition(random, depth - 1) + " and " + condition(random, depth - 1) + ")";
      case 2, 3 -> "(" + condition(random, depth - 1) + " or " + condition(random, depth - 1) + ")";
      default -> "not (" + condition(random, depth - 1) + ")";
    };
  }

  private static String atom(Random random) {
    String attribute = "x." + pick(random, RandomModel.ATTRIBUTES);
    String relation = pick(random, RELATIONS);
    return switch (random.nextInt(12)) {
      case 0 -> "x.b";
      case 1 -> "x.o";
      case 2 -> "x.plain " + relation + " " + (random.nextInt(4) - 1);
      case 3 -> "x.best.isDefined()";
      case 4 -> "x.best.n " + relation + " 1";
      case 5 -> "x.friends.exists(x | x.n " + relation + " 0)";
      case 6, 7 -> pick(random, VALUES) + " " + relation + " " + attribute;
      default -> attribute + " " + relation + " " + pick(random, VALUES);
    };
  }

  private static <T> T pick(Random random, List<T> from) {
    return from.get(random.nextInt(from.size()));
  }

  private static AttributeDeclaration[] indices(Random random) {
    List<AttributeDeclaration> declared = new ArrayList<>();
    for (String attribute : RandomModel.ATTRIBUTES) {
      // an index of the supertype serves both types, one of the subtype only the subtype
      if (random.nextInt(4) > 0) {
        String type = random.nextInt(3) == 0 ? "Special" : "Thing";
        declared.add(ModelGraph.indexed(RandomModel.URI_OF_PACKAGE, type, attribute));
      }
    }
    return declared.toArray(new AttributeDeclaration[0]);
  }

  private static Object outcome(Way way, String text) {
    try {
      return way.evaluate(text);
    } catch (FailedQueryException | QueryException e) {
      return FAILED;
    } catch (Exception e) {
      throw new IllegalStateException(text, e);
    }
  }

  /** As Epsilon's interpreter has it, over a graph. */
  private static Object interpret(ModelGraph model, Fidelity fidelity, String text)
      throws Exception {
    GraphTokens tokens = new GraphTokens(model.graph, model.catalog);
    TypeNames names = new TypeNames(model.catalog, List.of());
    ParsedQuery query = ParsedQuery.plain(Language.EOL, text, names, fidelity);
    try (GraphReader reader = model.graph.read()) {
      return model.plain(
          query.run(new GraphAccess(tokens, reader, QueryScope.ALL, new Cancellation(), null)));
    }
  }

  private static Object inMemory(EObject root, ModelGraph model, String text)
      throws QueryException {
    List<Object> found = new ArrayList<>();
    EolQuery.parse(text)
        .evaluate(root, List.of("x"))
        .forEach(element -> found.add("e" + model.index.indexOf(element)));
    return found;
  }

  @Test
  void indicesChangeNothing() throws Exception {
    int nonEmpty = 0;
    int failed = 0;
    for (int seed = 0; seed < 40; seed++) {
      Random random = new Random(seed);
      EObject root = RandomModel.of(random, 1 + random.nextInt(25));
      ModelGraph indexed = new ModelGraph(root, indices(random));
      ModelGraph bare = new ModelGraph(root);
      QueryEngine withIndices = new QueryEngine(indexed.graph, indexed.catalog, Fidelity.IMPROVED);
      for (int i = 0; i < 60; i++) {
        String text =
            "var limit = 1; var nothing; var first = Thing.all.first();\nreturn "
                + (random.nextInt(3) == 0 ? "Special" : "Thing")
                + (random.nextBoolean() ? ".all" : ".allInstances()")
                + ".select(x | "
                + condition(random, 2)
                + ");";
        Object expected = outcome(t -> interpret(bare, Fidelity.IMPROVED, t), text);
        String where = "seed " + seed + ": " + text;
        assertEquals(
            sorted(expected),
            sorted(outcome(t -> inMemory(root, bare, t), text)),
            "in memory, " + where);
        assertEquals(
            expected,
            outcome(t -> bare.run(Fidelity.IMPROVED, Language.EOL, t), text),
            "compiled, " + where);
        assertEquals(
            expected,
            outcome(t -> indexed.run(withIndices, Language.EOL, t, QueryScope.ALL), text),
            "compiled with indices, " + where);
        assertEquals(
            expected,
            outcome(t -> interpret(indexed, Fidelity.IMPROVED, t), text),
            "interpreted with indices, " + where);
        Object paper = outcome(t -> indexed.run(Fidelity.PAPER, Language.EOL, t), text);
        assertTrue(
            expected.equals(paper) || (text.contains("<>") && paper == FAILED),
            "paper, " + where + " gave " + paper + " and not " + expected);
        failed += expected == FAILED ? 1 : 0;
        nonEmpty += expected != FAILED && !((List<?>) expected).isEmpty() ? 1 : 0;
      }
    }
    assertTrue(nonEmpty > 500 && failed > 50, nonEmpty + " non-empty, " + failed + " failed");
  }

  private static Object sorted(Object outcome) {
    return outcome instanceof List<?> list ? Set.copyOf(list) : outcome;
  }
}
