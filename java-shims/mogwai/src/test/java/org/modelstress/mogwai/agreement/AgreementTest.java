package org.modelstress.mogwai.agreement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.eclipse.emf.common.util.ECollections;
import org.eclipse.emf.common.util.EList;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.mogwai.agreement.Agreement.Comparison;
import org.modelstress.mogwai.agreement.Agreement.Verdict;

/**
 * Random well-typed OCL over random models: what the engine finds in a NeoEMF database must be what
 * Eclipse OCL's own evaluation finds in memory. What that evaluation (classic Eclipse OCL, 2013)
 * does where it surprises, as seen here:
 *
 * <ul>
 *   <li>1 = 1.0, but {@code Set{1, 1.0}} has two values, and neither sets nor tuples with 1 and 1.0
 *       are equal. Collections of different kinds are never equal; null = null.
 *   <li>{@code div}, {@code mod} and round go towards zero, the dividend's sign, and up from
 *       halves; whole numbers beyond 32 bits become Long; division by zero is invalid, also of
 *       Reals.
 *   <li>null has no features and no arithmetic: invalid. {@code null->size()} is 0, as null becomes
 *       an empty set; null inside a collection is a value. {@code null.oclIsKindOf(T)} is true.
 *   <li>A collection with an invalid value is invalid. {@code any} without a match is null, {@code
 *       first} of nothing is invalid; {@code sum} with a null is invalid; {@code at} and {@code
 *       subSequence} out of range are invalid.
 *   <li>{@code and}, {@code or}, {@code implies} are not strict on either side, null and invalid
 *       alike; the result with null is invalid, not null.
 *   <li>{@code exists} and {@code forAll} end at the first invalid body: over a set the answer then
 *       depends on the order. So does {@code closure}, which is invalid if the body is for a
 *       source, and stops with what it has if it is further on.
 *   <li>{@code closure} leaves the sources out unless they are reached; its type is an ordered set
 *       only if the body's type is ordered. {@code including} and {@code union} of ordered sets
 *       have the type Set. {@code sortedBy} of a set is an ordered set. {@code selectByKind} has
 *       the type Collection, so {@code asSet} cannot follow it.
 *   <li>{@code flatten} of collections and a null does nothing if the null comes first, and is
 *       invalid otherwise.
 *   <li>A variable may not have the name of another in scope. {@code iterate} evaluates its source
 *       with the accumulator in scope, and is invalid if the source has a variable of that name (a
 *       fault; the engine does not repeat it, and no such expression is generated).
 *   <li>A tuple type makes the next ones of the same OCL environment slower to parse, nested ones
 *       exponentially: every query needs an environment of its own.
 * </ul>
 */
class AgreementTest {
  private static final long FIXED_SEED = 4;
  private static final int MODELS = 10;
  private static final int MOST_SHOWN = 10;

  @TempDir private Path folder;

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void randomExpressionsAgree() throws Exception {
    Coverage coverage = new Coverage();
    run(FIXED_SEED, 6000, coverage);
    System.out.println(coverage);
    long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    System.out.println("CPU seconds " + TimeUnit.NANOSECONDS.toSeconds(cpu));
    assertTrue(coverage.count(Verdict.AGREED) >= 5000, coverage.toString());
    assertEquals(List.of(), coverage.missing(50, 10));
    assertTrue(coverage.count(Verdict.REJECTED) < coverage.total() / 50, "not well-typed");
    assertTrue(coverage.count(Verdict.ORDER_DEPENDENT) < coverage.total() / 50, "no clear answer");
    assertTrue(coverage.withValue() > coverage.total() / 3, "mostly null, invalid or empty");
  }

  /** That the test can fail: a small change of what is stored is found, and shrunk to its cause. */
  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void aSmallDifferenceIsFound() throws Exception {
    assertFinds("tags", change(Farm.NAMED, each -> ECollections.reverse(list(each, "tags"))));
    assertFinds("weight", change(Farm.THING, each -> set(each, "weight", 1.25)));
  }

  /** Further changes, for which it takes longer to find a query that tells them. */
  @Test
  @Tag("long")
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void furtherSmallDifferencesAreFound() throws Exception {
    assertFinds("level", change(Farm.PART, each -> set(each, "level", null)));
    assertFinds("next", change(Farm.WHEEL, each -> set(each, "next", each)));
    assertFinds("links", change(Farm.PROBE, each -> list(each, "links").add(each)));
  }

  private interface Change {
    void of(EObject element);
  }

  /** Something done to all elements of a class. */
  private static Change change(EClass eClass, Change change) {
    return root ->
        RandomModels.elements(root).stream().filter(eClass::isInstance).forEach(change::of);
  }

  private static void set(EObject element, String feature, Object value) {
    element.eSet(element.eClass().getEStructuralFeature(feature), value);
  }

  @SuppressWarnings("unchecked") // EMF's lists hold what the feature's type says
  private static EList<Object> list(EObject element, String feature) {
    return (EList<Object>) element.eGet(element.eClass().getEStructuralFeature(feature));
  }

  private void assertFinds(String feature, Change change) throws Exception {
    EObject root = RandomModels.of(new Random(3), 40);
    EObject changed = EcoreUtil.copy(root);
    change.of(changed);
    RandomOcl ocl = new RandomOcl(new Random(3));
    Path place = Files.createTempDirectory(folder, "changed");
    try (Agreement model = new Agreement(root, changed, place)) {
      for (int i = 0; i < 10_000; i++) {
        Expression expression = ocl.next();
        if (model.compare(expression).verdict() == Verdict.DISAGREED) {
          Expression small = Shrinker.shrink(expression, e -> isFailure(e, model.compare(e)));
          assertTrue(small.toString().contains(feature), small.toString());
          assertTrue(small.size() < 12, small.toString());
          return;
        }
      }
    }
    fail("no expression found the change of " + feature);
  }

  /** The same for longer: {@code -DexcludedGroups=}, and {@code -Dagreement.seed=} to repeat it. */
  @Test
  @Tag("long")
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void randomExpressionsAgreeForLong() throws Exception {
    long first = Long.getLong("agreement.seed", new SecureRandom().nextInt(Integer.MAX_VALUE));
    Coverage coverage = new Coverage();
    for (long seed = first; coverage.total() < 200_000; seed++) {
      run(seed, 5000, coverage);
    }
    System.out.println(coverage);
    assertEquals(List.of(), coverage.missing(1000, 200));
  }

  /** Runs expressions of a seed over models of a seed; fails with the smallest that disagree. */
  private void run(long seed, int expressions, Coverage coverage) throws Exception {
    System.out.println("seed " + seed + ", " + expressions + " expressions");
    RandomOcl ocl = new RandomOcl(new Random(seed));
    Map<String, String> failures = new LinkedHashMap<>();
    List<Agreement> models = open(seed);
    try {
      for (int i = 0; i < expressions && failures.size() < MOST_SHOWN; i++) {
        Expression expression = ocl.next();
        Agreement model = models.get(i % MODELS);
        Comparison comparison = model.compare(expression);
        coverage.add(expression, comparison);
        if (isFailure(expression, comparison)) {
          Expression small = Shrinker.shrink(expression, e -> isFailure(e, model.compare(e)));
          failures.putIfAbsent(small.allConstructs().toString(), describe(small, model, i));
        }
      }
    } finally {
      models.forEach(Agreement::close);
    }
    assertTrue(failures.isEmpty(), "seed " + seed + ":\n" + String.join("\n", failures.values()));
  }

  private List<Agreement> open(long seed) throws Exception {
    Random random = new Random(seed);
    List<Agreement> models = new ArrayList<>();
    for (int i = 0; i < MODELS; i++) {
      Path place = Files.createTempDirectory(folder, "model");
      models.add(new Agreement(RandomModels.of(random, 5 + i * i * 35 / 81), place));
    }
    return models;
  }

  private static boolean isFailure(Expression expression, Comparison comparison) {
    boolean refused =
        comparison.verdict() == Verdict.NOT_COVERED && Coverage.mustBeCovered(expression);
    return refused || comparison.verdict() == Verdict.DISAGREED;
  }

  private String describe(Expression expression, Agreement model, int number) throws Exception {
    EObject smallest = ModelShrinker.shrink(model.elements().get(0), expression, folder);
    Path place = Files.createTempDirectory(folder, "smallest");
    try (Agreement small = new Agreement(smallest, place)) {
      Comparison comparison = small.compare(expression);
      return "expression "
          + number
          + ", shrunk: "
          + expression
          + "\nexpected "
          + comparison.expected()
          + "\ngot "
          + comparison.actual()
          + "\n"
          + Farm.describe(small.elements());
    }
  }
}
