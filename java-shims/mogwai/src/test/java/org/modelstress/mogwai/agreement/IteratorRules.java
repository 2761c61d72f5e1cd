package org.modelstress.mogwai.agreement;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.modelstress.mogwai.agreement.OclType.Kind;
import org.modelstress.mogwai.agreement.Scope.Variable;

/** Iterators: with a variable, with a typed one, with none; implicit collect. */
final class IteratorRules {
  private static final List<Kind> BOOLEAN = List.of(Kind.BOOLEAN);

  private final RandomOcl ocl;

  private IteratorRules(RandomOcl ocl) {
    this.ocl = ocl;
  }

  static void add(RandomOcl ocl) {
    IteratorRules rules = new IteratorRules(ocl);
    for (String iterator : List.of("select", "reject")) {
      ocl.rule(iterator, 1.5, CollectionRules.FOUR, (w, d, s) -> rules.select(iterator, w, d, s));
    }
    for (String iterator : List.of("exists", "forAll", "one")) {
      ocl.rule(iterator, 1.5, BOOLEAN, (w, d, s) -> rules.question(iterator, w, d, s));
    }
    for (String iterator : List.of("exists", "forAll")) {
      String construct = iterator + " of two iterators";
      ocl.rule(construct, 1, BOOLEAN, (w, d, s) -> rules.twoIterators(iterator, w, d, s));
    }
    ocl.rule("product", 1, BOOLEAN, rules::ofProduct);
    ocl.rule("isUnique", 1, BOOLEAN, rules::isUnique);
    ocl.rule("any", 1, CommonRules.ALL, rules::any);
    ocl.rule("iterate", 1, CommonRules.ALL, rules::iterate);
    ocl.rule("iterate to a sum", 0.5, List.of(Kind.INTEGER), rules::iterateSum);
    List<Kind> collected = List.of(Kind.BAG, Kind.SEQUENCE);
    ocl.rule("collect", 1.5, collected, rules::collect);
    ocl.rule("collect of collections", 1, collected, rules::collectMany);
    ocl.rule("implicit collect", 1.5, collected, rules::implicitCollect);
    ocl.rule("collectNested", 1, collected, rules::collectNested);
    ocl.rule("sortedBy", 1, CollectionRules.IN_ORDER, rules::sortedBy);
    ocl.rule("closure", 1.5, List.of(Kind.SET, Kind.ORDERED_SET), rules::closure);
  }

  /** {@code source->iterator(… | body)}, its variable written in one of three ways. */
  private Expression iterator(
      String construct,
      String iterator,
      OclType wanted,
      Expression source,
      OclType bodyType,
      int depth,
      Scope scope) {
    Variable variable =
        ocl.variable(source.type().isCollection() ? source.type().element() : source.type(), scope);
    int form = ocl.random.nextInt(4);
    Variable known = form == 0 ? new Variable(null, variable.type()) : variable;
    Expression body = ocl.expression(bodyType, depth - 1, scope.with(known).inLoop());
    String declaration =
        switch (form) {
          case 0 -> "";
          case 1 -> CommonRules.declare(variable) + " | ";
          default -> variable.name() + " | ";
        };
    Expression made =
        Expression.of(wanted, construct, source, "->" + iterator + "(" + declaration, body, ")");
    return switch (form) {
      case 0 -> made.and("iterator without a name");
      case 1 -> made.and("iterator with a type");
      default -> made;
    };
  }

  private Expression select(String iterator, OclType wanted, int depth, Scope scope) {
    Expression source = ocl.expression(wanted, depth - 1, scope);
    return iterator(iterator, iterator, wanted, source, OclType.BOOLEAN, depth, scope);
  }

  private Expression question(String iterator, OclType wanted, int depth, Scope scope) {
    Expression source = CollectionRules.anySource(ocl, ocl.elementType(1), depth, scope);
    return iterator(iterator, iterator, wanted, source, OclType.BOOLEAN, depth, scope);
  }

  /** Over all pairs of two collections. */
  private Expression ofProduct(OclType wanted, int depth, Scope scope) {
    Map<String, OclType> parts = new LinkedHashMap<>();
    parts.put("first", ocl.scalarType());
    parts.put("second", ocl.scalarType());
    OclType pairs = OclType.collection(Kind.SET, OclType.tuple(parts), false);
    Expression source = CollectionRules.product(ocl, pairs, depth, scope);
    String iterator = ocl.pick(List.of("exists", "forAll", "one"));
    return iterator(iterator, iterator, wanted, source, OclType.BOOLEAN, depth, scope);
  }

  private Expression twoIterators(String iterator, OclType wanted, int depth, Scope scope) {
    if (scope.loops() > 1) {
      return null;
    }
    Expression source = CollectionRules.anyCollection(ocl, ocl.elementType(1), depth, scope);
    Variable one = ocl.variable(source.type().element(), scope);
    Variable other = ocl.variable(source.type().element(), scope.with(one));
    Scope inner = scope.with(one).with(other).inLoop().inLoop();
    Expression body = ocl.expression(OclType.BOOLEAN, depth - 1, inner);
    String head = "->" + iterator + "(" + one.name() + ", " + other.name() + " | ";
    return Expression.of(wanted, iterator + " of two iterators", source, head, body, ")");
  }

  private Expression isUnique(OclType wanted, int depth, Scope scope) {
    Expression source = CollectionRules.anyCollection(ocl, ocl.elementType(1), depth, scope);
    return iterator("isUnique", "isUnique", wanted, source, ocl.scalarType(), depth, scope);
  }

  private Expression any(OclType wanted, int depth, Scope scope) {
    if (wanted.kind() == Kind.COLLECTION || !wanted.isComparable()) {
      return null;
    }
    Expression source =
        ocl.chance(5)
            ? CollectionRules.anyCollection(ocl, wanted, depth, scope)
            : CollectionRules.inOrder(ocl, wanted, depth, scope);
    return iterator("any", "any", wanted, source, OclType.BOOLEAN, depth, scope);
  }

  private Expression iterate(OclType wanted, int depth, Scope scope) {
    if (wanted.kind() == Kind.COLLECTION || !wanted.isComparable()) {
      return null;
    }
    Expression source = CollectionRules.inOrder(ocl, ocl.elementType(1), depth, scope);
    Variable each = ocl.variable(source.type().element(), scope);
    Variable result = ocl.accumulator(wanted);
    // the parser has the iterator's name in scope already
    Variable taken = new Variable(each.name(), OclType.tuple(Map.of()));
    Expression first = ocl.expression(wanted, depth - 1, scope.with(taken));
    Scope inner = scope.with(each).with(result).inLoop();
    Expression body = ocl.expression(wanted, depth - 1, inner);
    String head = "->iterate(" + each.name() + "; " + CommonRules.declare(result) + " = ";
    return Expression.of(wanted, "iterate", source, head, first, " | ", body, ")");
  }

  /** Its order does not matter. */
  private Expression iterateSum(OclType wanted, int depth, Scope scope) {
    Expression source = CollectionRules.anyCollection(ocl, ocl.elementType(0), depth, scope);
    Variable each = ocl.variable(source.type().element(), scope);
    Variable sum = ocl.accumulator(wanted);
    Expression body = ocl.expression(wanted, depth - 1, scope.with(each).with(sum).inLoop());
    String head =
        "->iterate(%s; %s : Integer = 0 | %s + "
            .formatted(CommonRules.declare(each), sum.name(), sum.name());
    return Expression.of(wanted, "iterate", source, head, body, ")");
  }

  /** What a collect that results in a type may go over. */
  private Expression collected(OclType wanted, OclType element, int depth, Scope scope) {
    if (wanted.kind() == Kind.SEQUENCE) {
      Kind kind = ocl.pick(CollectionRules.IN_ORDER);
      OclType type = OclType.collection(kind, element, wanted.ordered());
      return ocl.expression(type, depth - 1, scope);
    }
    Kind kind = ocl.pick(List.of(Kind.SET, Kind.BAG));
    return ocl.expression(OclType.collection(kind, element, false), depth - 1, scope);
  }

  private Expression collect(OclType wanted, int depth, Scope scope) {
    if (wanted.element().isCollection()) {
      return null;
    }
    Expression source = collected(wanted, ocl.elementType(1), depth, scope);
    return iterator("collect", "collect", wanted, source, wanted.element(), depth, scope);
  }

  private Expression collectMany(OclType wanted, int depth, Scope scope) {
    if (wanted.element().isCollection()) {
      return null;
    }
    boolean ordered = wanted.kind() == Kind.SEQUENCE;
    Kind kind = ocl.pick(ordered ? CollectionRules.IN_ORDER : CollectionRules.FOUR);
    OclType many = OclType.collection(kind, wanted.element(), wanted.ordered());
    Expression source = collected(wanted, ocl.elementType(1), depth, scope);
    return iterator("collect of collections", "collect", wanted, source, many, depth, scope);
  }

  private Expression collectNested(OclType wanted, int depth, Scope scope) {
    Expression source = collected(wanted, ocl.elementType(1), depth, scope);
    return iterator(
        "collectNested", "collectNested", wanted, source, wanted.element(), depth, scope);
  }

  /** {@code source.feature}. */
  private Expression implicitCollect(OclType wanted, int depth, Scope scope) {
    List<EStructuralFeature> features = new ArrayList<>();
    for (EClass each : Farm.classes()) {
      for (EStructuralFeature feature : each.getEStructuralFeatures()) {
        OclType type = CommonRules.typeOf(feature);
        boolean ordered = !type.isCollection() || type.ordered() || wanted.kind() == Kind.BAG;
        OclType one = type.isCollection() ? type.element() : type;
        if (ordered && one.fits(wanted.element())) {
          features.add(feature);
        }
      }
    }
    if (features.isEmpty()) {
      return null;
    }
    EStructuralFeature feature = ocl.leastUsed(features);
    OclType owner = OclType.of(feature.getEContainingClass());
    Expression source = collected(wanted, owner, depth, scope);
    return Expression.of(wanted, "implicit collect", source, "." + feature.getName())
        .and(Farm.name(feature));
  }

  /** A sequence from a bag or sequence, an ordered set from a set or ordered set. */
  private Expression sortedBy(OclType wanted, int depth, Scope scope) {
    boolean set = wanted.kind() == Kind.ORDERED_SET;
    Kind kind = wanted.ordered() || ocl.chance(50) ? wanted.kind() : set ? Kind.SET : Kind.BAG;
    OclType type = OclType.collection(kind, wanted.element(), wanted.ordered());
    Expression source = ocl.expression(type, depth - 1, scope);
    OclType key = ocl.pick(List.of(OclType.INTEGER, OclType.REAL, OclType.STRING));
    return iterator("sortedBy", "sortedBy", wanted, source, key, depth, scope);
  }

  /** An ordered set if what it follows is ordered. */
  private Expression closure(OclType wanted, int depth, Scope scope) {
    if (wanted.element().kind() != Kind.CLASS) {
      return null;
    }
    boolean set = wanted.kind() == Kind.SET;
    Kind kind = ocl.pick(set ? CollectionRules.FOUR : CollectionRules.IN_ORDER);
    OclType type = OclType.collection(kind, wanted.element(), wanted.ordered());
    Expression source = ocl.expression(type, depth - 1, scope);
    Kind each = ocl.pick(set ? List.of(Kind.SET, Kind.BAG) : CollectionRules.IN_ORDER);
    OclType body =
        set && ocl.chance(50)
            ? wanted.element()
            : OclType.collection(each, wanted.element(), wanted.ordered());
    return iterator("closure", "closure", wanted, source, body, depth, scope);
  }
}
