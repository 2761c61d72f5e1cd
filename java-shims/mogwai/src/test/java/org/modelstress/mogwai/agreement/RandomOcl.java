package org.modelstress.mogwai.agreement;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.modelstress.mogwai.agreement.OclType.Kind;
import org.modelstress.mogwai.agreement.Scope.Variable;

/**
 * Generates well-typed OCL expressions over {@link Farm}: a grammar directed by the type wanted.
 * What was used least so far is preferred, so that every construct comes up. Operations whose
 * result depends on the order of a collection are applied where OCL defines that order (nearly
 * always; {@link AgreementTest} recognises the rest).
 */
final class RandomOcl {
  /** Makes an expression of the wanted type, or null if it cannot. */
  interface Rule {
    Expression apply(OclType wanted, int depth, Scope scope);
  }

  private record Named(String construct, double weight, Rule rule) {}

  private static final int LARGEST = 60;
  private static final String INSTANCES = ".allInstances()->sortedBy(code)";

  final Random random;
  private final Map<Kind, List<Named>> rules = new EnumMap<>(Kind.class);
  private final Map<String, Double> uses = new HashMap<>();
  private int budget;
  private int accumulators;

  RandomOcl(Random random) {
    this.random = random;
    CommonRules.add(this);
    BooleanRules.add(this);
    ValueRules.add(this);
    CollectionRules.add(this);
    IteratorRules.add(this);
  }

  /** The next expression, with no free variable. */
  Expression next() {
    budget = LARGEST;
    accumulators = 0;
    return expression(anyType(2), 2 + random.nextInt(3), Scope.EMPTY);
  }

  /** Adds a rule for types of some kinds; a smaller weight makes it rarer. */
  void rule(String construct, double weight, List<Kind> kinds, Rule rule) {
    for (Kind kind : kinds) {
      rules.computeIfAbsent(kind, k -> new ArrayList<>()).add(new Named(construct, weight, rule));
    }
  }

  /** An expression of a type. */
  Expression expression(OclType wanted, int depth, Scope scope) {
    budget--;
    int left = budget > 0 ? depth : 0;
    if (chance(left == 0 ? 95 : scope.loops() > 0 ? 60 : 20)) {
      Expression known = CommonRules.known(this, wanted, scope);
      if (known != null) {
        return known;
      }
    }
    for (int i = 0; left > 0 && i < 8; i++) {
      Named choice = choose(rules.get(wanted.kind()));
      Expression made = choice.rule.apply(wanted, left, scope);
      if (made != null) {
        uses.merge(choice.construct, 1 / choice.weight, Double::sum);
        return made;
      }
    }
    return literal(wanted);
  }

  /** One of a few that was used least so far. */
  EStructuralFeature leastUsed(List<EStructuralFeature> features) {
    EStructuralFeature best = null;
    for (int i = 0; i < 8; i++) {
      EStructuralFeature other = pick(features);
      if (best == null
          || uses.getOrDefault(Farm.name(other), 0.0) < uses.getOrDefault(Farm.name(best), 0.0)) {
        best = other;
      }
    }
    uses.merge(Farm.name(best), 1.0, Double::sum);
    return best;
  }

  private Named choose(List<Named> from) {
    Named best = null;
    for (int i = 0; i < 3; i++) {
      Named other = pick(from);
      if (best == null || used(other) < used(best)) {
        best = other;
      }
    }
    return best;
  }

  private double used(Named rule) {
    return uses.getOrDefault(rule.construct, 0.0);
  }

  /** What needs neither variables nor depth. */
  Expression literal(OclType type) {
    if (type.isCollection()) {
      boolean instances = type.element().kind() == Kind.CLASS && chance(80);
      return instances ? instances(type) : collectionLiteral(type);
    }
    return switch (type.kind()) {
      case BOOLEAN ->
          Expression.of(type, "Boolean literal", random.nextBoolean() ? "true" : "false");
      case INTEGER -> number(type, "Integer literal", String.valueOf(random.nextInt(8) - 2));
      case REAL -> number(type, "Real literal", String.valueOf((random.nextInt(17) - 4) / 4.0));
      case STRING ->
          Expression.of(
              type,
              "String literal",
              "'" + pick(List.of("", "a", "b", "ab", "Ba", "12", "2.5", "x y")) + "'");
      case ENUMERATION ->
          Expression.of(
              type,
              "enumeration literal",
              Farm.path(type.classifier()) + "::" + pick(Farm.COLOUR.getELiterals()).getName());
      case TUPLE -> CommonRules.tuple(type, part -> literal(part));
      default -> element(type);
    };
  }

  private static Expression number(OclType type, String construct, String text) {
    return Expression.of(type, construct, text.startsWith("-") ? "(" + text + ")" : text);
  }

  /** The first or last of its class by code. */
  private Expression element(OclType type) {
    String end = chance(70) ? "->first()" : "->last()";
    return allInstances(type, Farm.path(type.classifier()) + INSTANCES + end, type.eClass());
  }

  /** All of a class, in the order of their codes. */
  private Expression instances(OclType type) {
    String conversion =
        switch (type.kind()) {
          case SET -> "->asSet()";
          case BAG -> "->asBag()";
          case SEQUENCE -> "->asSequence()";
          case ORDERED_SET -> "";
          default -> "->selectByKind(" + type.element() + ")";
        };
    String text = Farm.path(type.element().classifier()) + INSTANCES + conversion;
    return allInstances(type, text, type.element().eClass());
  }

  private static Expression allInstances(OclType type, String text, EClass of) {
    Expression all = Expression.of(type, "allInstances", text);
    return CollectionRules.hasSubtypes(of) ? all.and("allInstances of subtypes") : all;
  }

  private Expression collectionLiteral(OclType type) {
    if (type.kind() == Kind.COLLECTION) {
      Expression all = literal(OclType.collection(Kind.SEQUENCE, type.element(), true));
      return Expression.of(type, "selectByKind", all, "->selectByKind(" + type.element() + ")");
    }
    List<Expression> items = new ArrayList<>();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      items.add(literal(type.element()));
    }
    return CollectionRules.literal(type, items);
  }

  /** A variable with a name that no other in scope has, as Eclipse OCL wants it. */
  Variable variable(OclType type, Scope scope) {
    return new Variable("v" + (scope.variables().size() + 1), type);
  }

  /**
   * The accumulator of an iterate, with a name that no other variable has: Eclipse OCL evaluates
   * the source while the accumulator is in scope, and fails on another one of its name in there.
   */
  Variable accumulator(OclType type) {
    return new Variable("r" + ++accumulators, type);
  }

  /** Any type; collections hold others down to a depth. */
  OclType anyType(int depth) {
    int choice = random.nextInt(depth > 0 ? 12 : 8);
    if (choice < 8) {
      return scalarType();
    }
    if (choice == 8) {
      return tupleType(depth - 1);
    }
    return collectionType(elementType(depth - 1));
  }

  /** A type that is neither tuple nor collection. */
  OclType scalarType() {
    return chance(25) ? OclType.of(anyClass()) : valueType();
  }

  /** A type of values that are no elements. */
  OclType valueType() {
    return pick(
        List.of(
            OclType.BOOLEAN,
            OclType.BOOLEAN,
            OclType.INTEGER,
            OclType.REAL,
            OclType.STRING,
            OclType.COLOUR));
  }

  /** What a collection may hold: mostly elements, seldom other collections. */
  OclType elementType(int depth) {
    return switch (random.nextInt(12)) {
      case 0 -> depth > 0 ? tupleType(0) : OclType.STRING;
      case 1 -> depth > 0 ? collectionType(scalarType()) : OclType.INTEGER;
      case 2, 3, 4 -> scalarType();
      default -> OclType.of(anyClass());
    };
  }

  private OclType tupleType(int depth) {
    Map<String, OclType> parts = new LinkedHashMap<>();
    if (random.nextInt(4) == 0) {
      parts.put("first", scalarType());
      parts.put("second", scalarType());
      return OclType.tuple(parts);
    }
    for (String name : List.of("a", "b", "c").subList(0, 1 + random.nextInt(3))) {
      parts.put(name, depth > 0 ? anyType(depth - 1) : scalarType());
    }
    return OclType.tuple(parts);
  }

  private OclType collectionType(OclType element) {
    Kind kind = pick(List.of(Kind.SET, Kind.ORDERED_SET, Kind.BAG, Kind.SEQUENCE));
    return OclType.collection(kind, element, true);
  }

  /** Any class; Named often, because most features of many elements are of it. */
  EClass anyClass() {
    EClass any = chance(15) ? Farm.NAMED : pick(Farm.classes());
    return any == Farm.GHOST ? pick(Farm.classes()) : any; // it has no instances
  }

  <T> T pick(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }
}
