package org.modelstress.mogwai.agreement;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.modelstress.mogwai.agreement.Agreement.Comparison;
import org.modelstress.mogwai.agreement.Agreement.Verdict;

/** Counts verdicts, by construct too. */
final class Coverage {
  /** What the engine has to cover. */
  static final List<String> LISTED =
      List.of(
          "*",
          "+",
          "+ of strings",
          "-",
          "- of sets",
          "/",
          "<",
          "<=",
          "<>",
          "<> of collections",
          "=",
          "= of collections",
          ">",
          ">=",
          "Tuple",
          "abs",
          "allInstances",
          "allInstances of subtypes",
          "and",
          "any",
          "append",
          "asBag",
          "asOrderedSet",
          "asSequence",
          "asSet",
          "at",
          "attribute",
          "backward reference",
          "closure",
          "collect",
          "collect of collections",
          "collectNested",
          "collection literal",
          "concat",
          "count",
          "default value",
          "div",
          "enumeration literal",
          "excludes",
          "excludesAll",
          "excluding",
          "exists",
          "exists of two iterators",
          "first",
          "flatten",
          "floor",
          "forAll",
          "forAll of two iterators",
          "if",
          "implicit collect",
          "implicit set",
          "implicit source",
          "implies",
          "includes",
          "includesAll",
          "including",
          "indexOf",
          "intersection",
          "isEmpty",
          "isUnique",
          "iterate",
          "iterator with a type",
          "iterator without a name",
          "last",
          "let",
          "let of two variables",
          "max",
          "min",
          "mod",
          "not",
          "notEmpty",
          "oclAsType",
          "oclIsInvalid",
          "oclIsKindOf",
          "oclIsTypeOf",
          "oclIsUndefined",
          "one",
          "or",
          "prepend",
          "product",
          "range",
          "reference",
          "reject",
          "round",
          "select",
          "selectByKind",
          "selectByType",
          "size",
          "size of a string",
          "sortedBy",
          "subSequence",
          "substring",
          "sum",
          "symmetricDifference",
          "toInteger",
          "toLower",
          "toReal",
          "toUpper",
          "tuple part",
          "unary -",
          "union",
          "variable",
          "xor");

  /** What it may refuse. */
  private static final Set<String> NOT_LISTED =
      Set.of(
          "at of a string",
          "endsWith",
          "equalsIgnoreCase",
          "indexOf of a string",
          "lastIndexOf of a string",
          "matches",
          "replaceAll",
          "startsWith",
          "substituteAll",
          "toLowerCase",
          "toString",
          "toUpperCase",
          "trim");

  private static final class Row {
    int expressions;
    int agreed;
    int withValue;
    int notCovered;
  }

  private final Map<String, Row> rows = new TreeMap<>();
  private final Map<Verdict, Integer> verdicts = new EnumMap<>(Verdict.class);
  private int undefined;
  private int empty;

  void add(Expression expression, Comparison comparison) {
    verdicts.merge(comparison.verdict(), 1, Integer::sum);
    boolean isUndefined = List.of("null", Values.INVALID).contains(comparison.expected());
    boolean isEmpty = comparison.expected().endsWith("{}");
    boolean agreed = comparison.verdict() == Verdict.AGREED;
    if (agreed && isUndefined) {
      undefined++;
    }
    if (agreed && isEmpty) {
      empty++;
    }
    for (String construct : expression.allConstructs()) {
      Row row = rows.computeIfAbsent(construct, name -> new Row());
      row.expressions++;
      row.agreed += agreed ? 1 : 0;
      row.withValue += agreed && !isUndefined && !isEmpty ? 1 : 0;
      row.notCovered += comparison.verdict() == Verdict.NOT_COVERED ? 1 : 0;
    }
  }

  /** Whether an expression has nothing that the engine may refuse. */
  static boolean mustBeCovered(Expression expression) {
    return Collections.disjoint(expression.allConstructs(), NOT_LISTED);
  }

  int count(Verdict verdict) {
    return verdicts.getOrDefault(verdict, 0);
  }

  int total() {
    return verdicts.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** Expressions that agreed on something else than null, invalid or an empty collection. */
  int withValue() {
    return count(Verdict.AGREED) - undefined - empty;
  }

  /**
   * Listed constructs and features with too few expressions that agreed, or too few with a value.
   */
  List<String> missing(int agreed, int withValue) {
    List<String> missing = new ArrayList<>();
    for (String construct : LISTED) {
      Row row = rows.getOrDefault(construct, new Row());
      if (row.agreed < agreed || row.withValue < withValue) {
        missing.add(construct + " agreed " + row.agreed + ", with a value " + row.withValue);
      }
    }
    for (EClass eClass : Farm.classes()) {
      for (EStructuralFeature feature : eClass.getEStructuralFeatures()) {
        Row row = rows.getOrDefault(Farm.name(feature), new Row());
        if (row.agreed < withValue / 2 && eClass != Farm.GHOST) {
          missing.add(Farm.name(feature) + " agreed " + row.agreed);
        }
      }
    }
    return missing;
  }

  /** The table, for people. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(
        "%-26s %11s %8s %10s %11s%n"
            .formatted("construct", "expressions", "agreed", "with value", "not covered"));
    rows.forEach(
        (construct, row) ->
            text.append(
                "%-26s %11d %8d %10d %11d%n"
                    .formatted(
                        NOT_LISTED.contains(construct) ? construct + " (extra)" : construct,
                        row.expressions,
                        row.agreed,
                        row.withValue,
                        row.notCovered)));
    text.append(
        "%s; agreed on null or invalid %d, on an empty collection %d%n"
            .formatted(verdicts, undefined, empty));
    return text.toString();
  }
}
