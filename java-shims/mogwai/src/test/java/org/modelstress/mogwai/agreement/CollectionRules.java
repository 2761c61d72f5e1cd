package org.modelstress.mogwai.agreement;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.ecore.EClass;
import org.modelstress.mogwai.agreement.OclType.Kind;

/** Operations whose result is a collection, but for the iterators. */
final class CollectionRules {
  static final List<Kind> FOUR = List.of(Kind.SET, Kind.ORDERED_SET, Kind.BAG, Kind.SEQUENCE);
  static final List<Kind> IN_ORDER = List.of(Kind.SEQUENCE, Kind.ORDERED_SET);

  private final RandomOcl ocl;

  private CollectionRules(RandomOcl ocl) {
    this.ocl = ocl;
  }

  static void add(RandomOcl ocl) {
    CollectionRules rules = new CollectionRules(ocl);
    ocl.rule("allInstances", 2, List.of(Kind.SET), rules::allInstances);
    ocl.rule("collection literal", 1, FOUR, rules::items);
    ocl.rule("range", 12, FOUR, rules::range);
    ocl.rule("asSet", 1, List.of(Kind.SET), rules::asSet);
    ocl.rule("asBag", 1, List.of(Kind.BAG), rules::asBag);
    ocl.rule("asSequence", 1, List.of(Kind.SEQUENCE), rules::asSequence);
    ocl.rule("asOrderedSet", 1, List.of(Kind.ORDERED_SET), rules::asOrderedSet);
    ocl.rule("union", 1, FOUR, rules::union);
    ocl.rule("intersection", 1, List.of(Kind.SET, Kind.BAG), rules::intersection);
    ocl.rule("- of sets", 1, List.of(Kind.SET), (w, d, s) -> rules.sets("-", w, d, s));
    ocl.rule("symmetricDifference", 1, List.of(Kind.SET), rules::symmetricDifference);
    for (String operation : List.of("including", "excluding")) {
      List<Kind> kinds = List.of(Kind.SET, Kind.BAG, Kind.SEQUENCE);
      ocl.rule(operation, 1, kinds, (w, d, scope) -> rules.change(operation, w, d, scope));
    }
    for (String operation : List.of("append", "prepend")) {
      ocl.rule(operation, 1, IN_ORDER, (w, d, scope) -> rules.change(operation, w, d, scope));
    }
    ocl.rule("insertAt", 0.3, IN_ORDER, rules::insertAt);
    ocl.rule("subSequence", 1, List.of(Kind.SEQUENCE), rules::subSequence);
    ocl.rule("subOrderedSet", 0.5, List.of(Kind.ORDERED_SET), rules::subSequence);
    ocl.rule("flatten", 1, List.of(Kind.SET, Kind.BAG, Kind.SEQUENCE), rules::flatten);
    ocl.rule("product", 1, List.of(Kind.SET), (w, d, s) -> product(ocl, w, d, s));
    for (String operation : List.of("selectByKind", "selectByType")) {
      List<Kind> kinds = List.of(Kind.COLLECTION);
      ocl.rule(operation, 1, kinds, (w, d, scope) -> rules.select(operation, w, d, scope));
    }
  }

  /** A collection of any kind, in any order. */
  static Expression anyCollection(RandomOcl ocl, OclType element, int depth, Scope scope) {
    Kind kind = ocl.pick(FOUR);
    return ocl.expression(OclType.collection(kind, element, false), depth - 1, scope);
  }

  /** What may stand before an arrow: a collection, or one value that becomes a set by it. */
  static Expression anySource(RandomOcl ocl, OclType element, int depth, Scope scope) {
    if (ocl.chance(10) && !element.isCollection()) {
      return ocl.expression(element, depth - 1, scope).and("implicit set");
    }
    if (ocl.chance(30) && (element.kind() == Kind.CLASS || element.isNumber())) {
      OclType type = OclType.collection(Kind.COLLECTION, element, false);
      return ocl.expression(type, depth - 1, scope);
    }
    return anyCollection(ocl, element, depth, scope);
  }

  /** A sequence or ordered set whose order is defined. */
  static Expression inOrder(RandomOcl ocl, OclType element, int depth, Scope scope) {
    return ocl.expression(OclType.collection(ocl.pick(IN_ORDER), element, true), depth - 1, scope);
  }

  private Expression of(Kind kind, OclType wanted, int depth, Scope scope) {
    OclType type = OclType.collection(kind, wanted.element(), wanted.ordered());
    return ocl.expression(type, depth - 1, scope);
  }

  private Expression allInstances(OclType wanted, int depth, Scope scope) {
    if (wanted.element().kind() != Kind.CLASS || scope.loops() > 1) {
      return null; // a loop over all in a loop over all in a loop over all takes too long
    }
    List<EClass> fitting =
        Farm.classes().stream().filter(wanted.element().eClass()::isSuperTypeOf).toList();
    EClass of = ocl.chance(70) ? wanted.element().eClass() : ocl.pick(fitting);
    OclType type = OclType.collection(Kind.SET, OclType.of(of), false);
    Expression all = Expression.of(type, "allInstances", Farm.path(of) + ".allInstances()");
    return hasSubtypes(of) ? all.and("allInstances of subtypes") : all;
  }

  static boolean hasSubtypes(EClass of) {
    return Farm.classes().stream().anyMatch(each -> each != of && of.isSuperTypeOf(each));
  }

  private Expression items(OclType wanted, int depth, Scope scope) {
    List<Expression> items = new ArrayList<>();
    for (int i = 1 + ocl.random.nextInt(3); i > 0; i--) {
      items.add(ocl.expression(wanted.element(), depth - 1, scope));
    }
    if (ocl.chance(10)) {
      String undefined = ocl.chance(80) ? "null" : "invalid";
      items.add(Expression.of(wanted.element(), undefined, undefined));
    }
    return literal(wanted, items);
  }

  /** A collection literal. */
  static Expression literal(OclType type, List<Expression> items) {
    List<Object> pieces = new ArrayList<>();
    for (Expression item : items) {
      pieces.add(pieces.isEmpty() ? type.kind().text + "{" : ", ");
      pieces.add(item);
    }
    pieces.add("}");
    return new Expression(type, List.of("collection literal"), pieces);
  }

  private Expression range(OclType wanted, int depth, Scope scope) {
    if (wanted.element().kind() != Kind.INTEGER) {
      return null;
    }
    String first = wanted.kind().text + "{" + ocl.random.nextInt(3) + "..";
    Expression last = ocl.literal(OclType.INTEGER);
    String rest = ocl.chance(30) ? ", 9}" : "}";
    return Expression.of(wanted, "range", first, last, rest);
  }

  private Expression asSet(OclType wanted, int depth, Scope scope) {
    Expression source = anyCollection(ocl, wanted.element(), depth, scope);
    return Expression.of(wanted, "asSet", source, "->asSet()");
  }

  private Expression asBag(OclType wanted, int depth, Scope scope) {
    Expression source = anyCollection(ocl, wanted.element(), depth, scope);
    return Expression.of(wanted, "asBag", source, "->asBag()");
  }

  private Expression asSequence(OclType wanted, int depth, Scope scope) {
    Kind kind = ocl.pick(wanted.ordered() ? IN_ORDER : FOUR);
    Expression source = of(kind, wanted, depth, scope);
    return Expression.of(wanted, "asSequence", source, "->asSequence()");
  }

  private Expression asOrderedSet(OclType wanted, int depth, Scope scope) {
    Kind kind = ocl.pick(wanted.ordered() ? IN_ORDER : FOUR);
    Expression source = of(kind, wanted, depth, scope);
    return Expression.of(wanted, "asOrderedSet", source, "->asOrderedSet()");
  }

  /** Set and bag make a bag; two ordered sets make a set. */
  private Expression union(OclType wanted, int depth, Scope scope) {
    List<List<Kind>> kinds =
        switch (wanted.kind()) {
          case SET -> List.of(List.of(Kind.SET, Kind.SET), List.of(Kind.ORDERED_SET, Kind.SET));
          case BAG ->
              List.of(
                  List.of(Kind.BAG, Kind.BAG),
                  List.of(Kind.BAG, Kind.SET),
                  List.of(Kind.SET, Kind.BAG));
          case SEQUENCE -> List.of(List.of(Kind.SEQUENCE, Kind.SEQUENCE));
          default -> List.of();
        };
    return kinds.isEmpty() ? null : two("union", ocl.pick(kinds), wanted, depth, scope);
  }

  private Expression intersection(OclType wanted, int depth, Scope scope) {
    List<List<Kind>> kinds =
        wanted.kind() == Kind.SET
            ? List.of(
                List.of(Kind.SET, Kind.SET),
                List.of(Kind.SET, Kind.BAG),
                List.of(Kind.BAG, Kind.SET))
            : List.of(List.of(Kind.BAG, Kind.BAG));
    return two("intersection", ocl.pick(kinds), wanted, depth, scope);
  }

  private Expression two(
      String operation, List<Kind> kinds, OclType wanted, int depth, Scope scope) {
    Expression one = of(kinds.get(0), wanted, depth, scope);
    Expression other = of(kinds.get(1), wanted, depth, scope);
    return Expression.of(wanted, operation, one, "->" + operation + "(", other, ")");
  }

  private Expression sets(String operator, OclType wanted, int depth, Scope scope) {
    Expression one = of(Kind.SET, wanted, depth, scope);
    Expression other = of(Kind.SET, wanted, depth, scope);
    return Expression.of(wanted, "- of sets", "(", one, " " + operator + " ", other, ")");
  }

  private Expression symmetricDifference(OclType wanted, int depth, Scope scope) {
    return two("symmetricDifference", List.of(Kind.SET, Kind.SET), wanted, depth, scope);
  }

  private Expression change(String operation, OclType wanted, int depth, Scope scope) {
    boolean toSet = wanted.kind() == Kind.SET && ocl.chance(20);
    Expression source = of(toSet ? Kind.ORDERED_SET : wanted.kind(), wanted, depth, scope);
    Expression value = ocl.expression(wanted.element(), depth - 1, scope);
    return Expression.of(wanted, operation, source, "->" + operation + "(", value, ")");
  }

  private Expression insertAt(OclType wanted, int depth, Scope scope) {
    Expression source = of(wanted.kind(), wanted, depth, scope);
    Expression value = ocl.expression(wanted.element(), depth - 1, scope);
    String index = "->insertAt(" + (ocl.chance(90) ? 1 : ocl.random.nextInt(4)) + ", ";
    return Expression.of(wanted, "insertAt", source, index, value, ")");
  }

  private Expression subSequence(OclType wanted, int depth, Scope scope) {
    String operation = wanted.kind() == Kind.SEQUENCE ? "subSequence" : "subOrderedSet";
    Expression source = of(wanted.kind(), wanted, depth, scope);
    int from = ocl.chance(90) ? 1 : ocl.random.nextInt(4);
    String range = "(" + from + ", " + (from + ocl.random.nextInt(2)) + ")";
    return Expression.of(wanted, operation, source, "->" + operation + range);
  }

  /** Of collections of the same or another kind, as long as the order stays defined. */
  private Expression flatten(OclType wanted, int depth, Scope scope) {
    if (wanted.element().isCollection()) {
      return null;
    }
    Kind inner = ocl.pick(wanted.kind() == Kind.SEQUENCE ? IN_ORDER : FOUR);
    OclType element = OclType.collection(inner, wanted.element(), true);
    OclType type = OclType.collection(wanted.kind(), element, wanted.ordered());
    Expression source = ocl.expression(type, depth - 1, scope);
    return Expression.of(wanted, "flatten", source, "->flatten()");
  }

  /** All pairs of two collections; null if no pairs are wanted. */
  static Expression product(RandomOcl ocl, OclType wanted, int depth, Scope scope) {
    Map<String, OclType> parts = wanted.element().parts();
    if (parts == null || !List.copyOf(parts.keySet()).equals(List.of("first", "second"))) {
      return null;
    }
    Expression one = anyCollection(ocl, parts.get("first"), depth, scope);
    Expression other = anyCollection(ocl, parts.get("second"), depth, scope);
    return Expression.of(wanted, "product", one, "->product(", other, ")");
  }

  private Expression select(String operation, OclType wanted, int depth, Scope scope) {
    OclType element = wanted.element();
    if (element.kind() == Kind.CLASS) {
      EClass special = element.eClass();
      element =
          OclType.of(
              ocl.pick(Farm.classes().stream().filter(c -> c.isSuperTypeOf(special)).toList()));
    }
    if (element.kind() == Kind.INTEGER && ocl.chance(50)) {
      element = OclType.REAL;
    }
    Expression source = anyCollection(ocl, element, depth, scope);
    return Expression.of(
        wanted, operation, source, "->" + operation + "(" + wanted.element() + ")");
  }
}
