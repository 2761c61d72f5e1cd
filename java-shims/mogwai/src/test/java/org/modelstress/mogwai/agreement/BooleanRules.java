package org.modelstress.mogwai.agreement;

import java.util.List;
import org.eclipse.emf.ecore.EClass;
import org.modelstress.mogwai.agreement.OclType.Kind;
import org.modelstress.mogwai.agreement.Scope.Variable;

/** Logic, comparison, and questions about values and collections. */
final class BooleanRules {
  private final RandomOcl ocl;

  private BooleanRules(RandomOcl ocl) {
    this.ocl = ocl;
  }

  static void add(RandomOcl ocl) {
    BooleanRules rules = new BooleanRules(ocl);
    for (String operator : List.of("and", "or", "xor", "implies")) {
      rules.rule(operator, (w, depth, scope) -> rules.logic(operator, depth, scope));
    }
    rules.rule("not", rules::not);
    for (String operator : List.of("<", "<=", ">", ">=")) {
      rules.rule(operator, (w, depth, scope) -> rules.compare(operator, depth, scope));
    }
    for (String operator : List.of("=", "<>")) {
      rules.rule(operator, (w, depth, scope) -> rules.equal(operator, depth, scope));
      String ofCollections = operator + " of collections";
      rules.rule(ofCollections, (w, d, scope) -> rules.equalCollections(operator, d, scope));
    }
    for (String question : List.of("oclIsUndefined", "oclIsInvalid")) {
      rules.rule(question, (w, depth, scope) -> rules.isUndefined(question, depth, scope));
    }
    for (String question : List.of("oclIsKindOf", "oclIsTypeOf")) {
      rules.rule(question, (w, depth, scope) -> rules.isOf(question, depth, scope));
    }
    for (String question : List.of("isEmpty", "notEmpty")) {
      rules.rule(question, (w, depth, scope) -> rules.isEmpty(question, depth, scope));
    }
    for (String question : List.of("includes", "excludes")) {
      rules.rule(question, (w, depth, scope) -> rules.includes(question, depth, scope));
    }
    for (String question : List.of("includesAll", "excludesAll")) {
      rules.rule(question, (w, depth, scope) -> rules.includesAll(question, depth, scope));
    }
    for (String operation : List.of("startsWith", "endsWith", "equalsIgnoreCase", "matches")) {
      ocl.rule(
          operation, 0.3, List.of(Kind.BOOLEAN), (w, d, scope) -> rules.text(operation, d, scope));
    }
  }

  private void rule(String construct, RandomOcl.Rule rule) {
    ocl.rule(construct, 1, List.of(Kind.BOOLEAN), rule);
  }

  private Expression expression(OclType type, int depth, Scope scope) {
    return ocl.expression(type, depth - 1, scope);
  }

  private static Expression binary(String construct, Object one, String operator, Object other) {
    return Expression.of(OclType.BOOLEAN, construct, "(", one, " " + operator + " ", other, ")");
  }

  private Expression logic(String operator, int depth, Scope scope) {
    Expression one = expression(OclType.BOOLEAN, depth, scope);
    return binary(operator, one, operator, expression(OclType.BOOLEAN, depth, scope));
  }

  private Expression not(OclType wanted, int depth, Scope scope) {
    return Expression.of(wanted, "not", "(not ", expression(wanted, depth, scope), ")");
  }

  private Expression compare(String operator, int depth, Scope scope) {
    OclType type = ocl.pick(List.of(OclType.INTEGER, OclType.REAL, OclType.STRING));
    OclType other =
        type.isNumber() ? ocl.pick(List.of(OclType.INTEGER, OclType.REAL)) : OclType.STRING;
    return binary(
        operator, expression(type, depth, scope), operator, expression(other, depth, scope));
  }

  private Expression equal(String operator, int depth, Scope scope) {
    OclType type = ocl.chance(10) ? ocl.anyType(2) : ocl.scalarType();
    if (type.isCollection()) {
      return null;
    }
    Expression one = expression(type, depth, scope);
    OclType same = ocl.chance(5) ? ocl.scalarType() : type;
    Object other = ocl.chance(15) ? "null" : expression(same, depth, scope);
    return binary(operator, one, operator, other);
  }

  private Expression equalCollections(String operator, int depth, Scope scope) {
    OclType type = collection();
    Expression one = expression(type, depth, scope);
    OclType same =
        ocl.chance(25) ? OclType.collection(collection().kind(), type.element(), true) : type;
    Object other = ocl.chance(5) ? "null" : expression(same, depth, scope);
    return binary(operator + " of collections", one, operator, other);
  }

  private OclType collection() {
    Kind kind = ocl.pick(List.of(Kind.SET, Kind.ORDERED_SET, Kind.BAG, Kind.SEQUENCE));
    return OclType.collection(kind, ocl.elementType(1), true);
  }

  private Expression isUndefined(String question, int depth, Scope scope) {
    Expression source = expression(ocl.scalarType(), depth, scope);
    return Expression.of(OclType.BOOLEAN, question, source, "." + question + "()");
  }

  /** Of a variable, the innermost iterator without a name, or an element. */
  private Expression isOf(String question, int depth, Scope scope) {
    List<Variable> elements =
        scope.sources().stream().filter(v -> v.type().kind() == Kind.CLASS).toList();
    if (ocl.chance(20)) {
      Expression source = expression(ocl.valueType(), depth, scope);
      String type = ocl.pick(List.of("Integer", "Real", "String", "Boolean", "OclAny"));
      return Expression.of(OclType.BOOLEAN, question, source, "." + question + "(" + type + ")");
    }
    if (elements.isEmpty() || ocl.chance(30)) {
      OclType type = OclType.of(ocl.anyClass());
      Expression source = expression(type, depth, scope);
      return Expression.of(
          OclType.BOOLEAN, question, source, "." + question + "(" + related(type) + ")");
    }
    Variable variable = ocl.pick(elements);
    String call = question + "(" + related(variable.type()) + ")";
    return variable.name() == null
        ? Expression.of(OclType.BOOLEAN, question, call).and("implicit source")
        : Expression.of(OclType.BOOLEAN, question, variable.name() + "." + call);
  }

  /** A class that values of a type may be of. */
  private String related(OclType type) {
    List<EClass> related =
        Farm.classes().stream()
            .filter(c -> c.isSuperTypeOf(type.eClass()) || type.eClass().isSuperTypeOf(c))
            .toList();
    return Farm.path(ocl.pick(related));
  }

  private Expression isEmpty(String question, int depth, Scope scope) {
    Expression source = CollectionRules.anySource(ocl, ocl.elementType(1), depth, scope);
    return Expression.of(OclType.BOOLEAN, question, source, "->" + question + "()");
  }

  private Expression includes(String question, int depth, Scope scope) {
    OclType element = ocl.elementType(1);
    Expression source = CollectionRules.anySource(ocl, element, depth, scope);
    Object value = ocl.chance(5) ? "null" : expression(element, depth, scope);
    return Expression.of(OclType.BOOLEAN, question, source, "->" + question + "(", value, ")");
  }

  private Expression includesAll(String question, int depth, Scope scope) {
    OclType element = ocl.elementType(1);
    Expression source = CollectionRules.anySource(ocl, element, depth, scope);
    Expression other = CollectionRules.anyCollection(ocl, element, depth, scope);
    return Expression.of(OclType.BOOLEAN, question, source, "->" + question + "(", other, ")");
  }

  private Expression text(String operation, int depth, Scope scope) {
    Expression source = expression(OclType.STRING, depth, scope);
    Expression other = expression(OclType.STRING, depth, scope);
    return Expression.of(OclType.BOOLEAN, operation, source, "." + operation + "(", other, ")");
  }
}
