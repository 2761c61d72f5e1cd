package org.modelstress.mogwai.gremlin;

import static org.eclipse.ocl.utilities.PredefinedType.*;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EClassifier;
import org.eclipse.emf.ecore.EDataType;
import org.eclipse.emf.ecore.EEnum;
import org.eclipse.ocl.ecore.OperationCallExp;
import org.eclipse.ocl.ecore.TypeExp;
import org.eclipse.ocl.expressions.CollectionKind;
import org.eclipse.ocl.expressions.OCLExpression;
import org.eclipse.ocl.internal.evaluation.NumberUtil;
import org.eclipse.ocl.types.CollectionType;
import org.eclipse.ocl.types.InvalidType;
import org.eclipse.ocl.types.PrimitiveType;
import org.eclipse.ocl.types.TupleType;
import org.eclipse.ocl.types.VoidType;
import org.eclipse.ocl.util.CollectionUtil;
import org.eclipse.ocl.util.ObjectUtil;
import org.neo4j.graphdb.Node;

/** Operation calls. What each gives for null and invalid is as Eclipse OCL's evaluation has it. */
final class Calls {
  private static final Set<Integer> BOOLEAN = Set.of(AND, OR, XOR, IMPLIES);

  private final Compiler compiler;
  private final Scope scope;
  private final CollectionCalls collections;

  Calls(Compiler compiler, Scope scope) {
    this.compiler = compiler;
    this.scope = scope;
    this.collections = new CollectionCalls(compiler, scope);
  }

  Plan plan(OperationCallExp e, boolean ordered) {
    refuseOwnOperations(e);
    EClassifier type = e.getSource().getType();
    int code = e.getOperationCode();
    if (code == ALL_INSTANCES) {
      return allInstances(e);
    } else if (code == EQUAL || code == NOT_EQUAL) {
      return equality(e, code == EQUAL);
    } else if (code == OCL_IS_UNDEFINED || code == OCL_IS_INVALID) {
      return undefined(compiler.plan(e.getSource(), false), code == OCL_IS_UNDEFINED);
    } else if (code == OCL_AS_SET) {
      return asSet(compiler.plan(e.getSource(), false));
    } else if (code == OCL_IS_KIND_OF || code == OCL_IS_TYPE_OF) {
      return typeTest(e);
    } else if (code == OCL_AS_TYPE) {
      return cast(e);
    } else if (type instanceof CollectionType<?, ?>) {
      return collections.plan(e, ordered);
    } else if (isData(type)) {
      return data(e);
    }
    throw uncovered(e);
  }

  private void refuseOwnOperations(OperationCallExp e) {
    if (e.getOperationCode() <= 0 || scope.isOfModel(e.getReferredOperation())) {
      throw uncovered(e);
    }
    if (isUnlimited(e.getSource()) || e.getArgument().stream().anyMatch(Calls::isUnlimited)) {
      throw Scope.uncovered("The type UnlimitedNatural", e);
    }
  }

  private static boolean isUnlimited(OCLExpression<EClassifier> e) {
    return "UnlimitedNatural".equals(e.getType().getName());
  }

  private static boolean isData(EClassifier type) {
    return type instanceof PrimitiveType<?>
        || type instanceof EDataType
        || type instanceof VoidType<?>
        || type instanceof InvalidType<?>;
  }

  static UncoveredException uncovered(OperationCallExp e) {
    return Scope.uncovered(
        "The operation "
            + e.getReferredOperation().getName()
            + " of "
            + e.getSource().getType().getName(),
        e);
  }

  private Plan allInstances(OperationCallExp e) {
    if (!(e.getSource() instanceof TypeExp named)) {
      throw Scope.uncovered("The operation allInstances of no type's name", e);
    }
    EClassifier type = named.getReferredType();
    if (type instanceof EClass of) {
      Source extent = new Extent(scope.concreteClasses(of));
      return scope.stream(
          CollectionKind.SET_LITERAL, List.of(new Stage.Expand(extent, true)), true);
    }
    Set<Object> all = new HashSet<>();
    if (type instanceof EEnum enumeration) {
      all.addAll(enumeration.getELiterals());
    } else if (type instanceof VoidType<?>) {
      all.add(null);
    }
    return Plan.constant(all);
  }

  private Plan equality(OperationCallExp e, boolean equal) {
    Plan left = compiler.plan(e.getSource(), true);
    Plan right = compiler.plan(e.getArgument().get(0), true);
    return Plan.of(
        Traits.presentIf(left.traits.total() && right.traits.total()),
        frame -> {
          Object one = left.safe(frame);
          if (one == Plan.INVALID) {
            return one;
          }
          Object other = right.safe(frame);
          if (other == Plan.INVALID) {
            return other;
          }
          return equal(one, other) == equal;
        });
  }

  private static boolean equal(Object one, Object other) {
    if (one instanceof Node || one == null) {
      return Objects.equals(one, other);
    }
    return ObjectUtil.equal(precise(one), precise(other));
  }

  private static Object precise(Object value) {
    return value instanceof Number number ? NumberUtil.higherPrecisionNumber(number) : value;
  }

  private static Plan undefined(Plan source, boolean orNull) {
    return Plan.of(
        Traits.PRESENT,
        frame -> {
          Object value = source.safe(frame);
          return value == Plan.INVALID || orNull && value == null;
        });
  }

  private static Plan asSet(Plan source) {
    return Plan.of(
        Traits.presentIf(source.traits.total()),
        frame -> {
          Object value = source.safe(frame);
          if (value == Plan.INVALID) {
            return value;
          }
          Set<Object> set = CollectionUtil.createNewSet();
          if (value != null) {
            set.add(value);
          }
          return set;
        });
  }

  /** The type that a call names; tuples and collections are not told apart at run time. */
  static EClassifier namedType(OperationCallExp e) {
    if (e.getArgument().get(0) instanceof TypeExp named
        && !(named.getReferredType() instanceof CollectionType<?, ?>)
        && !(named.getReferredType() instanceof TupleType<?, ?>)) {
      return named.getReferredType();
    }
    throw uncovered(e);
  }

  private Plan typeTest(OperationCallExp e) {
    Plan source = compiler.plan(e.getSource(), false);
    TypeTest test = new TypeTest(namedType(e), e.getOperationCode() == OCL_IS_TYPE_OF);
    return Plan.of(Traits.PRESENT, frame -> test.of(source.safe(frame), frame.elements));
  }

  private Plan cast(OperationCallExp e) {
    Plan source = compiler.plan(e.getSource(), true);
    EClassifier type = namedType(e);
    TypeTest test = new TypeTest(type, false);
    boolean data = isData(e.getSource().getType());
    if (type instanceof VoidType<?> || type instanceof InvalidType<?>) {
      throw uncovered(e);
    }
    return Plan.of(
        Traits.UNKNOWN,
        frame -> {
          Object value = source.safe(frame);
          if (data && value instanceof Integer whole && type.getInstanceClass() == Double.class) {
            return whole.doubleValue();
          }
          // null is of every type; the cast of an invalid value leaves it
          return test.of(value, frame.elements) ? value : Plan.INVALID;
        });
  }

  private Plan data(OperationCallExp e) {
    int code = e.getOperationCode();
    Plan source = compiler.plan(e.getSource(), false);
    List<Plan> arguments = e.getArgument().stream().map(a -> compiler.plan(a, false)).toList();
    if (BOOLEAN.contains(code)) {
      return Booleans.plan(code, source, arguments.get(0));
    }
    Scalars.Operation operation = Scalars.operation(code, arguments.size());
    if (operation == null) {
      throw uncovered(e);
    }
    if (code == TO_STRING) {
      return Plan.of(Traits.PRESENT, frame -> Objects.toString(source.safe(frame)));
    }
    return switch (arguments.size()) {
      case 0 -> unary(operation, code, source);
      case 1 -> binary(operation, code, source, arguments.get(0));
      default -> ternary(operation, source, arguments.get(0), arguments.get(1));
    };
  }

  private static Plan unary(Scalars.Operation operation, int code, Plan source) {
    return Plan.of(
        Traits.presentIf(code == NOT && source.traits.sure()),
        frame -> {
          Object value = source.safe(frame);
          return Plan.isUndefined(value) ? Plan.INVALID : operation.apply(value, null, null);
        });
  }

  private static Plan binary(Scalars.Operation operation, int code, Plan source, Plan argument) {
    boolean comparison = code >= LESS_THAN && code <= GREATER_THAN_EQUAL;
    return Plan.of(
        Traits.presentIf(comparison && source.traits.sure() && argument.traits.sure()),
        frame -> {
          Object value = source.safe(frame);
          if (Plan.isUndefined(value)) {
            return Plan.INVALID;
          }
          Object other = argument.safe(frame);
          return other == Plan.INVALID ? other : operation.apply(value, other, null);
        });
  }

  private static Plan ternary(Scalars.Operation operation, Plan source, Plan first, Plan second) {
    return Plan.of(
        Traits.UNKNOWN,
        frame -> {
          Object value = source.safe(frame);
          if (Plan.isUndefined(value)) {
            return Plan.INVALID;
          }
          Object one = first.value(frame);
          Object two = one == Plan.INVALID ? one : second.value(frame);
          return Plan.isUndefined(one) || Plan.isUndefined(two)
              ? Plan.INVALID
              : operation.apply(value, one, two);
        });
  }
}
