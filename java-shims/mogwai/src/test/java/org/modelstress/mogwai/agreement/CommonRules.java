package org.modelstress.mogwai.agreement;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.modelstress.mogwai.agreement.OclType.Kind;
import org.modelstress.mogwai.agreement.Scope.Variable;

/** What has a value of any type: variables, features, let, if, tuples and their parts, null. */
final class CommonRules {
  static final List<Kind> ALL = List.of(Kind.values());
  private static final List<Kind> NOT_COLLECTION =
      ALL.stream().filter(kind -> kind != Kind.COLLECTION).toList();

  private final RandomOcl ocl;

  private CommonRules(RandomOcl ocl) {
    this.ocl = ocl;
  }

  static void add(RandomOcl ocl) {
    CommonRules rules = new CommonRules(ocl);
    ocl.rule("feature", 5, NOT_COLLECTION, rules::feature);
    ocl.rule("let", 1, ALL, rules::let);
    ocl.rule("let of two variables", 1, ALL, rules::letTwo);
    ocl.rule("if", 1, ALL, rules::choice);
    ocl.rule("tuple part", 1, ALL, rules::tuplePart);
    ocl.rule("Tuple", 1, List.of(Kind.TUPLE), rules::tuple);
    ocl.rule("null", 0.3, ALL, (wanted, depth, scope) -> rules.undefined("null", wanted, scope));
    ocl.rule(
        "invalid", 0.15, ALL, (wanted, depth, scope) -> rules.undefined("invalid", wanted, scope));
    ocl.rule("backward reference", 2, List.of(Kind.BAG), rules::backward);
    ocl.rule("oclAsType", 1, List.of(Kind.CLASS), rules::asType);
    ocl.rule("oclAsType", 0.5, List.of(Kind.REAL), rules::asReal);
  }

  /** A variable that fits, or what can be asked of one; null if there is none. */
  static Expression known(RandomOcl ocl, OclType wanted, Scope scope) {
    List<Expression> found = new ArrayList<>();
    for (Variable variable : scope.fitting(wanted)) {
      found.add(named(variable));
    }
    for (Variable variable : scope.sources()) {
      if (variable.type().kind() == Kind.CLASS) {
        ofElement(ocl, variable, wanted, found);
      }
    }
    return found.isEmpty() ? null : ocl.pick(found);
  }

  private static Expression named(Variable variable) {
    return Expression.of(variable.type(), "variable", variable.name());
  }

  /** Features of an element, of those it refers to, and what compares them. */
  private static void ofElement(
      RandomOcl ocl, Variable variable, OclType wanted, List<Expression> found) {
    EClass eClass = variable.type().eClass();
    for (EStructuralFeature feature : fitting(eClass, wanted)) {
      found.add(feature(variable, feature));
    }
    for (EReference reference : eClass.getEAllReferences()) {
      if (!reference.isMany() && ocl.chance(50)) {
        for (EStructuralFeature feature : fitting(reference.getEReferenceType(), wanted)) {
          found.add(feature(feature(variable, reference), feature));
        }
      }
    }
    if (wanted.kind() == Kind.BOOLEAN) {
      Expression code = feature(variable, Farm.CODE);
      String bound = (ocl.chance(50) ? " > " : " <= ") + ocl.random.nextInt(20) + ")";
      found.add(Expression.of(wanted, bound.contains(">") ? ">" : "<=", "(", code, bound));
    }
  }

  private static Expression feature(Variable variable, EStructuralFeature feature) {
    if (variable.name() != null) {
      return feature(named(variable), feature);
    }
    Expression made = of(feature, List.of(feature.getName()));
    return made.and("implicit source");
  }

  private static Expression feature(Expression source, EStructuralFeature feature) {
    return of(feature, List.of(source, "." + feature.getName()));
  }

  private static Expression of(EStructuralFeature feature, List<Object> pieces) {
    String construct = feature instanceof EAttribute ? "attribute" : "reference";
    List<String> constructs = List.of(construct, Farm.name(feature));
    Expression made = new Expression(typeOf(feature), constructs, pieces);
    return feature.getDefaultValueLiteral() == null ? made : made.and("default value");
  }

  static List<EStructuralFeature> fitting(EClass of, OclType wanted) {
    return of.getEAllStructuralFeatures().stream()
        .filter(feature -> typeOf(feature).fits(wanted))
        .toList();
  }

  /** What OCL makes of a feature's type. */
  static OclType typeOf(EStructuralFeature feature) {
    OclType one = typeOfOne(feature);
    if (!feature.isMany()) {
      return one;
    }
    Kind kind =
        feature.isUnique()
            ? feature.isOrdered() ? Kind.ORDERED_SET : Kind.SET
            : feature.isOrdered() ? Kind.SEQUENCE : Kind.BAG;
    return OclType.collection(kind, one, true);
  }

  private static OclType typeOfOne(EStructuralFeature feature) {
    if (feature instanceof EReference reference) {
      return OclType.of(reference.getEReferenceType());
    }
    if (feature.getEType() == Farm.COLOUR) {
      return OclType.COLOUR;
    }
    return switch (feature.getEType().getName()) {
      case "EString" -> OclType.STRING;
      case "EBoolean", "EBooleanObject" -> OclType.BOOLEAN;
      case "EDouble", "EDoubleObject" -> OclType.REAL;
      default -> OclType.INTEGER;
    };
  }

  private Expression feature(OclType wanted, int depth, Scope scope) {
    List<EStructuralFeature> fitting =
        Farm.classes().stream().flatMap(each -> fitting(each, wanted).stream()).distinct().toList();
    if (fitting.isEmpty()) {
      return null;
    }
    EStructuralFeature feature = ocl.leastUsed(fitting);
    EClass owner = feature.getEContainingClass();
    return feature(ocl.expression(OclType.of(owner), depth - 1, scope), feature);
  }

  /** All elements that refer to one, or to those of a collection. */
  private Expression backward(OclType wanted, int depth, Scope scope) {
    if (wanted.element().kind() != Kind.CLASS) {
      return null;
    }
    EClass eClass = wanted.element().eClass();
    List<EReference> references =
        Farm.classes().stream()
            .flatMap(each -> each.getEReferences().stream())
            .filter(each -> eClass.isSuperTypeOf(each.getEContainingClass()))
            .toList();
    if (references.isEmpty()) {
      return null;
    }
    EReference reference = ocl.pick(references);
    OclType target = OclType.of(reference.getEReferenceType());
    boolean many = ocl.chance(40);
    OclType from = many ? OclType.collection(Kind.SET, target, false) : target;
    Expression source = ocl.expression(from, depth - 1, scope);
    OclType type = OclType.collection(Kind.BAG, OclType.of(reference.getEContainingClass()), false);
    Expression made =
        Expression.of(type, "backward reference", source, ".revRefNav_" + reference.getName());
    return many ? made.and("implicit collect") : made;
  }

  private Expression let(OclType wanted, int depth, Scope scope) {
    Variable variable = ocl.variable(ocl.anyType(2), scope);
    Expression value = ocl.expression(variable.type(), depth - 1, scope);
    Expression body = ocl.expression(wanted, depth - 1, scope.with(variable));
    return Expression.of(
        wanted, "let", "(let ", declare(variable), " = ", value, " in ", body, ")");
  }

  private Expression letTwo(OclType wanted, int depth, Scope scope) {
    Variable one = ocl.variable(ocl.anyType(1), scope);
    Variable other = ocl.variable(ocl.anyType(1), scope.with(one));
    Expression value = ocl.expression(one.type(), depth - 1, scope);
    Expression second = ocl.expression(other.type(), depth - 1, scope.with(one));
    Expression body = ocl.expression(wanted, depth - 1, scope.with(one).with(other));
    return Expression.of(
        wanted,
        "let of two variables",
        "(let ",
        declare(one),
        " = ",
        value,
        ", ",
        declare(other),
        " = ",
        second,
        " in ",
        body,
        ")");
  }

  /** A variable's declaration. */
  static String declare(Variable variable) {
    return variable.name() + " : " + variable.type();
  }

  private Expression choice(OclType wanted, int depth, Scope scope) {
    Expression condition = ocl.expression(OclType.BOOLEAN, depth - 1, scope);
    Expression one = ocl.expression(wanted, depth - 1, scope);
    Object other =
        ocl.chance(10)
            ? ocl.pick(List.of("null", "invalid"))
            : ocl.expression(wanted, depth - 1, scope);
    return Expression.of(
        wanted, "if", "(if ", condition, " then ", one, " else ", other, " endif)");
  }

  private Expression tuplePart(OclType wanted, int depth, Scope scope) {
    if (wanted.kind() == Kind.COLLECTION) {
      return null;
    }
    Map<String, OclType> parts = new LinkedHashMap<>();
    parts.put("a", wanted);
    parts.put("b", ocl.scalarType());
    Expression tuple = ocl.expression(OclType.tuple(parts), depth - 1, scope);
    return Expression.of(wanted, "tuple part", tuple, ".a");
  }

  private Expression tuple(OclType wanted, int depth, Scope scope) {
    return tuple(wanted, part -> ocl.expression(part, depth - 1, scope));
  }

  /** A tuple literal whose parts are made by a function of their type. */
  static Expression tuple(OclType type, Function<OclType, Expression> part) {
    List<Object> pieces = new ArrayList<>();
    type.parts()
        .forEach(
            (name, of) -> {
              pieces.add((pieces.isEmpty() ? "Tuple{" : ", ") + name + " : " + of + " = ");
              pieces.add(part.apply(of));
            });
    pieces.add("}");
    return new Expression(type, List.of("Tuple"), pieces);
  }

  /** With a type, because OCL refuses most uses of null and invalid that have none. */
  private Expression undefined(String literal, OclType wanted, Scope scope) {
    String name = ocl.variable(wanted, scope).name();
    return Expression.of(
        wanted, literal, "(let " + name + " : " + wanted + " = " + literal + " in " + name + ")");
  }

  private Expression asType(OclType wanted, int depth, Scope scope) {
    List<EClass> others =
        Farm.classes().stream()
            .filter(c -> c.isSuperTypeOf(wanted.eClass()) || wanted.eClass().isSuperTypeOf(c))
            .toList();
    OclType type = ocl.chance(60) ? wanted : OclType.of(ocl.pick(others));
    Expression source = ocl.expression(type, depth - 1, scope);
    return Expression.of(wanted, "oclAsType", source, ".oclAsType(" + wanted + ")");
  }

  private Expression asReal(OclType wanted, int depth, Scope scope) {
    Expression source = ocl.expression(OclType.INTEGER, depth - 1, scope);
    return Expression.of(wanted, "oclAsType", source, ".oclAsType(Real)");
  }
}
