package org.modelstress.mogwai.gremlin;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.ecore.EClassifier;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EParameter;
import org.eclipse.emf.ecore.ETypedElement;
import org.eclipse.ocl.ecore.BooleanLiteralExp;
import org.eclipse.ocl.ecore.CollectionLiteralExp;
import org.eclipse.ocl.ecore.EnumLiteralExp;
import org.eclipse.ocl.ecore.IfExp;
import org.eclipse.ocl.ecore.IntegerLiteralExp;
import org.eclipse.ocl.ecore.InvalidLiteralExp;
import org.eclipse.ocl.ecore.IterateExp;
import org.eclipse.ocl.ecore.IteratorExp;
import org.eclipse.ocl.ecore.LetExp;
import org.eclipse.ocl.ecore.NullLiteralExp;
import org.eclipse.ocl.ecore.OperationCallExp;
import org.eclipse.ocl.ecore.OppositePropertyCallExp;
import org.eclipse.ocl.ecore.PropertyCallExp;
import org.eclipse.ocl.ecore.RealLiteralExp;
import org.eclipse.ocl.ecore.StringLiteralExp;
import org.eclipse.ocl.ecore.TupleLiteralExp;
import org.eclipse.ocl.ecore.VariableExp;
import org.eclipse.ocl.expressions.OCLExpression;
import org.eclipse.ocl.expressions.Variable;
import org.eclipse.ocl.internal.evaluation.NumberUtil;
import org.eclipse.ocl.types.CollectionType;
import org.eclipse.ocl.types.TupleType;
import org.modelstress.models.QueryException;
import org.modelstress.models.ocl.BackwardReferences;
import org.modelstress.models.ocl.OclParser;
import org.modelstress.models.ocl.Position;
import org.modelstress.queries.Cancellation;
import org.modelstress.queries.InvalidQueryException;

/** Eclipse OCL's typed syntax tree to a {@link Plan}. */
final class Compiler {
  /** Collections and tuples in each other. */
  private static final int DEEPEST_TYPE = 8;

  /** A compiled query; for any number of threads. */
  record Query(Plan plan, int slots, int pipelines) {
    /** Evaluates it; {@link Plan#INVALID} if the value is invalid. */
    Object value(Elements elements, Cancellation cancellation) {
      return plan.safe(new Frame(slots, pipelines, elements, cancellation));
    }
  }

  private final Scope scope;
  private final Navigation navigation;
  private final Calls calls;
  private final Loops loops;
  private final Literals literals;
  private final Map<EClassifier, Integer> depths = new IdentityHashMap<>();

  private Compiler(Scope scope) {
    this.scope = scope;
    this.navigation = new Navigation(this, scope);
    this.calls = new Calls(this, scope);
    this.loops = new Loops(this, scope);
    this.literals = new Literals(this, scope);
  }

  /**
   * Compiles a query over metamodels.
   *
   * @throws InvalidQueryException with line and column if the text is no query or has a construct
   *     that is not covered
   */
  static Query compile(String text, EPackage.Registry packages) throws InvalidQueryException {
    try {
      BackwardReferences backward = new BackwardReferences(packages);
      OCLExpression<EClassifier> expression =
          OclParser.parse(text, OclParser.environments(packages, backward)).expression();
      Scope scope = new Scope(packages, backward);
      Plan plan = new Compiler(scope).plan(expression, true);
      return new Query(plan, scope.slots(), scope.pipelines());
    } catch (QueryException e) {
      throw new InvalidQueryException(e.getMessage());
    } catch (UncoveredException e) {
      throw new InvalidQueryException(
          Position.at(text, e.offset()) + ": " + e.getMessage() + " is not covered.");
    } catch (StackOverflowError e) {
      throw new InvalidQueryException("The query is nested too deeply.");
    }
  }

  /**
   * Compiles an expression.
   *
   * @param ordered whether the order of its elements can be seen, where its type has one
   */
  Plan plan(OCLExpression<EClassifier> e, boolean ordered) {
    if (depth(e.getType(), 0) > DEEPEST_TYPE) {
      throw Scope.uncovered("A type of more than " + DEEPEST_TYPE + " levels", e);
    }
    if (e instanceof OperationCallExp call) {
      return calls.plan(call, ordered);
    } else if (e instanceof IteratorExp loop) {
      return loops.plan(loop, ordered);
    } else if (e instanceof IterateExp loop) {
      return loops.iterate(loop);
    } else if (e instanceof PropertyCallExp call) {
      return navigation.plan(call, ordered);
    } else if (e instanceof OppositePropertyCallExp call) {
      return navigation.backward(call);
    } else if (e instanceof VariableExp variable) {
      return variable(variable);
    } else if (e instanceof LetExp let) {
      return let(let, ordered);
    } else if (e instanceof IfExp choice) {
      return choice(choice, ordered);
    }
    return literal(e);
  }

  /**
   * Levels of a type. A value that has another twice, which has a third twice and so on, is small,
   * but to compare or send it takes for ever; its type has as many levels.
   */
  private int depth(EClassifier type, int above) {
    Integer known = depths.get(type);
    if (known != null || above > DEEPEST_TYPE) {
      return known == null ? 0 : known;
    }
    int depth = 0;
    if (type instanceof CollectionType<?, ?> collection) {
      depth = 1 + depth((EClassifier) collection.getElementType(), above + 1);
    } else if (type instanceof TupleType<?, ?> tuple) {
      for (Object part : tuple.oclProperties()) {
        depth = Math.max(depth, 1 + depth(((ETypedElement) part).getEType(), above + 1));
      }
    }
    if (above == 0) {
      depths.put(type, depth); // of others, not all levels were looked at
    }
    return depth;
  }

  private Plan literal(OCLExpression<EClassifier> e) {
    if (e instanceof BooleanLiteralExp literal) {
      return Plan.constant(literal.getBooleanSymbol());
    } else if (e instanceof IntegerLiteralExp literal) {
      return Plan.constant(NumberUtil.coerceNumber(literal.getLongSymbol()));
    } else if (e instanceof RealLiteralExp literal) {
      return Plan.constant(literal.getRealSymbol());
    } else if (e instanceof StringLiteralExp literal) {
      return Plan.constant(literal.getStringSymbol());
    } else if (e instanceof EnumLiteralExp literal) {
      return Plan.constant(literal.getReferredEnumLiteral().getInstance());
    } else if (e instanceof NullLiteralExp) {
      return Plan.constant(null);
    } else if (e instanceof InvalidLiteralExp) {
      return Plan.constant(Plan.INVALID);
    } else if (e instanceof CollectionLiteralExp literal) {
      return literals.collection(literal);
    } else if (e instanceof TupleLiteralExp literal) {
      return literals.tuple(literal);
    }
    throw Scope.uncovered(construct(e), e);
  }

  private static String construct(OCLExpression<EClassifier> e) {
    return "The construct " + ((org.eclipse.ocl.ecore.OCLExpression) e).eClass().getName();
  }

  private Plan variable(VariableExp e) {
    Scope.Binding binding = scope.binding(e.getReferredVariable());
    if (binding == null) {
      throw Scope.uncovered("The variable " + e.getReferredVariable().getName(), e);
    }
    return new Plan.Variable(binding.traits(), binding.slot());
  }

  private Plan let(LetExp e, boolean ordered) {
    Variable<EClassifier, EParameter> variable = e.getVariable();
    Plan initial = initial(variable);
    int slot = scope.bind(variable, initial.traits).slot();
    Plan in = plan(e.getIn(), ordered);
    if (in instanceof StreamPlan stream) {
      List<Stage> stages = new ArrayList<>();
      stages.add(new Stage.Assign(slot, initial));
      stages.addAll(stream.stages);
      return scope.stream(stream.kind, stages, stream.traits.elements());
    }
    return Plan.of(
        in.traits,
        frame -> {
          frame.slots[slot] = initial.safe(frame);
          return in.value(frame);
        });
  }

  /** The value that a variable is declared with. */
  Plan initial(Variable<EClassifier, EParameter> variable) {
    OCLExpression<EClassifier> initial = variable.getInitExpression();
    return initial == null ? Plan.constant(null) : plan(initial, true);
  }

  private Plan choice(IfExp e, boolean ordered) {
    Plan condition = plan(e.getCondition(), false);
    Plan yes = plan(e.getThenExpression(), ordered);
    Plan no = plan(e.getElseExpression(), ordered);
    boolean total = condition.traits.sure() && yes.traits.total() && no.traits.total();
    Traits traits =
        new Traits(
            total,
            yes.traits.present() && no.traits.present(),
            yes.traits.elements() && no.traits.elements());
    return Plan.of(
        traits,
        frame -> {
          Object value = condition.value(frame);
          if (Plan.isUndefined(value)) {
            return Plan.INVALID;
          }
          return (Boolean) value ? yes.value(frame) : no.value(frame);
        });
  }
}
