package org.modelstress.mogwai.agreement;

import java.util.List;
import org.modelstress.mogwai.agreement.OclType.Kind;

/** Numbers, strings, and the one value out of a collection. */
final class ValueRules {
  private static final List<Kind> INTEGER = List.of(Kind.INTEGER);
  private static final List<Kind> REAL = List.of(Kind.REAL);
  private static final List<Kind> STRING = List.of(Kind.STRING);
  private static final List<Kind> NUMBER = List.of(Kind.INTEGER, Kind.REAL);

  private final RandomOcl ocl;

  private ValueRules(RandomOcl ocl) {
    this.ocl = ocl;
  }

  static void add(RandomOcl ocl) {
    ValueRules rules = new ValueRules(ocl);
    rules.numbers();
    rules.integers();
    rules.strings();
    for (String operation : List.of("first", "last")) {
      ocl.rule(operation, 1, CommonRules.ALL, (w, d, scope) -> rules.end(operation, w, d, scope));
    }
    ocl.rule("at", 1, CommonRules.ALL, rules::at);
  }

  private void numbers() {
    for (String operator : List.of("+", "-", "*")) {
      ocl.rule(operator, 1, NUMBER, (w, d, scope) -> arithmetic(operator, w, w, d, scope));
    }
    ocl.rule("/", 1, REAL, (w, d, scope) -> arithmetic("/", w, anyNumber(), d, scope));
    ocl.rule("div", 1, INTEGER, (w, d, scope) -> call("div", w, w, d, scope, w));
    ocl.rule("mod", 1, INTEGER, (w, d, scope) -> call("mod", w, w, d, scope, w));
    ocl.rule("unary -", 1, NUMBER, this::negative);
    ocl.rule("abs", 1, NUMBER, (w, d, scope) -> call("abs", w, w, d, scope));
    ocl.rule("max", 1, NUMBER, (w, d, scope) -> call("max", w, w, d, scope, w));
    ocl.rule("min", 1, NUMBER, (w, d, scope) -> call("min", w, w, d, scope, w));
    ocl.rule("sum", 1, NUMBER, this::sum);
    for (String operation : List.of("max", "min")) {
      String construct = operation + " of a collection";
      ocl.rule(construct, 0.3, NUMBER, (w, d, scope) -> extreme(operation, w, d, scope));
    }
    ocl.rule("Integer as Real", 0.3, REAL, (w, d, s) -> ocl.expression(OclType.INTEGER, d - 1, s));
    ocl.rule("toReal", 1, REAL, (w, d, scope) -> parsed("toReal", w, d, scope));
  }

  private void integers() {
    for (String operation : List.of("floor", "round")) {
      ocl.rule(operation, 1, INTEGER, (w, d, scope) -> call(operation, w, anyNumber(), d, scope));
    }
    ocl.rule("toInteger", 1, INTEGER, (w, d, s) -> parsed("toInteger", w, d, s));
    ocl.rule("size of a string", 1, INTEGER, this::length);
    ocl.rule("size", 1, INTEGER, this::size);
    ocl.rule("count", 1, INTEGER, this::count);
    ocl.rule("indexOf", 1, INTEGER, this::indexOf);
    for (String operation : List.of("indexOf", "lastIndexOf")) {
      String construct = operation + " of a string";
      OclType text = OclType.STRING;
      ocl.rule(construct, 0.3, INTEGER, (w, d, s) -> call(operation, w, text, d, s, text));
    }
  }

  private void strings() {
    OclType text = OclType.STRING;
    ocl.rule("concat", 1, STRING, (w, d, scope) -> call("concat", w, w, d, scope, w));
    ocl.rule("+ of strings", 1, STRING, (w, d, scope) -> arithmetic("+", w, w, d, scope));
    ocl.rule("substring", 1, STRING, this::substring);
    for (String operation : List.of("toUpper", "toLower")) {
      ocl.rule(operation, 1, STRING, (w, d, scope) -> call(operation, w, w, d, scope));
    }
    for (String operation : List.of("toUpperCase", "toLowerCase", "trim")) {
      ocl.rule(operation, 0.3, STRING, (w, d, scope) -> call(operation, w, w, d, scope));
    }
    ocl.rule("replaceAll", 0.3, STRING, (w, d, s) -> call("replaceAll", w, w, d, s, w, w));
    ocl.rule("substituteAll", 0.3, STRING, (w, d, s) -> call("substituteAll", w, w, d, s, w, w));
    ocl.rule(
        "at of a string", 0.3, STRING, (w, d, s) -> call("at", w, text, d, s, OclType.INTEGER));
    ocl.rule("toString", 0.3, STRING, (w, d, s) -> call("toString", w, ocl.valueType(), d, s));
  }

  private OclType anyNumber() {
    return ocl.pick(List.of(OclType.INTEGER, OclType.REAL));
  }

  private Expression call(
      String operation, OclType wanted, OclType of, int depth, Scope scope, OclType... arguments) {
    Object[] pieces = new Object[2 + 2 * arguments.length];
    pieces[0] = ocl.expression(of, depth - 1, scope);
    pieces[1] = "." + operation + "(";
    for (int i = 0; i < arguments.length; i++) {
      pieces[2 + 2 * i] = ocl.expression(arguments[i], depth - 1, scope);
      pieces[3 + 2 * i] = ", ";
    }
    String last = arguments.length == 0 ? pieces[1] + ")" : ")";
    pieces[pieces.length - 1] = last;
    boolean ofString =
        of.kind() == Kind.STRING && List.of("at", "indexOf", "lastIndexOf").contains(operation);
    return Expression.of(wanted, ofString ? operation + " of a string" : operation, pieces);
  }

  private Expression arithmetic(
      String operator, OclType wanted, OclType of, int depth, Scope scope) {
    String construct = wanted.kind() == Kind.STRING ? operator + " of strings" : operator;
    Expression one = ocl.expression(of, depth - 1, scope);
    Expression other = ocl.expression(of, depth - 1, scope);
    return Expression.of(wanted, construct, "(", one, " " + operator + " ", other, ")");
  }

  /** Of a string that may be a number. */
  private Expression parsed(String operation, OclType wanted, int depth, Scope scope) {
    Object text =
        ocl.chance(60)
            ? ocl.pick(List.of("'12'", "'-3'", "'007'"))
            : ocl.expression(OclType.STRING, depth - 1, scope);
    return Expression.of(wanted, operation, text, "." + operation + "()");
  }

  private Expression negative(OclType wanted, int depth, Scope scope) {
    return Expression.of(wanted, "unary -", "(-(", ocl.expression(wanted, depth - 1, scope), "))");
  }

  private Expression sum(OclType wanted, int depth, Scope scope) {
    Expression source = CollectionRules.anyCollection(ocl, wanted, depth, scope);
    return Expression.of(wanted, "sum", source, "->sum()");
  }

  private Expression extreme(String operation, OclType wanted, int depth, Scope scope) {
    Expression source = CollectionRules.anyCollection(ocl, wanted, depth, scope);
    return Expression.of(wanted, operation + " of a collection", source, "->" + operation + "()");
  }

  private Expression length(OclType wanted, int depth, Scope scope) {
    Expression text = ocl.expression(OclType.STRING, depth - 1, scope);
    return Expression.of(wanted, "size of a string", text, ".size()");
  }

  private Expression size(OclType wanted, int depth, Scope scope) {
    Expression source = CollectionRules.anySource(ocl, ocl.elementType(1), depth, scope);
    return Expression.of(wanted, "size", source, "->size()");
  }

  private Expression count(OclType wanted, int depth, Scope scope) {
    OclType element = ocl.elementType(1);
    Expression source = CollectionRules.anySource(ocl, element, depth, scope);
    Expression value = ocl.expression(element, depth - 1, scope);
    return Expression.of(wanted, "count", source, "->count(", value, ")");
  }

  private Expression indexOf(OclType wanted, int depth, Scope scope) {
    OclType element = ocl.elementType(1);
    Expression source = CollectionRules.inOrder(ocl, element, depth, scope);
    Expression value = ocl.expression(element, depth - 1, scope);
    return Expression.of(wanted, "indexOf", source, "->indexOf(", value, ")");
  }

  private Expression substring(OclType wanted, int depth, Scope scope) {
    Expression text = ocl.expression(wanted, depth - 1, scope);
    if (ocl.chance(70)) {
      return Expression.of(wanted, "substring", "('xyz' + ", text, ").substring(2, 3)");
    }
    Object from = ocl.chance(70) ? "1" : ocl.expression(OclType.INTEGER, depth - 1, scope);
    Object to = ocl.chance(50) ? "2" : ocl.expression(OclType.INTEGER, depth - 1, scope);
    return Expression.of(wanted, "substring", text, ".substring(", from, ", ", to, ")");
  }

  private Expression end(String operation, OclType wanted, int depth, Scope scope) {
    if (wanted.kind() == Kind.COLLECTION || !wanted.isComparable()) {
      return null;
    }
    Expression source = CollectionRules.inOrder(ocl, wanted, depth, scope);
    return Expression.of(wanted, operation, source, "->" + operation + "()");
  }

  private Expression at(OclType wanted, int depth, Scope scope) {
    if (wanted.kind() == Kind.COLLECTION || !wanted.isComparable()) {
      return null;
    }
    Expression source = CollectionRules.inOrder(ocl, wanted, depth, scope);
    Object index =
        ocl.chance(70)
            ? String.valueOf(ocl.chance(80) ? 1 : ocl.random.nextInt(4))
            : ocl.expression(OclType.INTEGER, depth - 1, scope);
    return Expression.of(wanted, "at", source, "->at(", index, ")");
  }
}
