package org.modelstress.hawk.query.epsilon;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.collections.impl.set.mutable.primitive.LongHashSet;
import org.eclipse.epsilon.common.module.ModuleElement;
import org.eclipse.epsilon.eol.IEolModule;
import org.eclipse.epsilon.eol.dom.Expression;
import org.eclipse.epsilon.eol.dom.NameExpression;
import org.eclipse.epsilon.eol.dom.Operation;
import org.eclipse.epsilon.eol.dom.Parameter;
import org.eclipse.epsilon.eol.exceptions.EolRuntimeException;
import org.eclipse.epsilon.eol.execute.context.FrameType;
import org.eclipse.epsilon.eol.execute.context.IEolContext;
import org.eclipse.epsilon.eol.execute.context.Variable;
import org.eclipse.epsilon.eol.execute.operations.AbstractOperation;
import org.eclipse.epsilon.eol.execute.operations.declarative.IAbstractOperationContributor;
import org.eclipse.epsilon.eol.execute.operations.declarative.SelectOperation;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.query.CancelledSignal;
import org.modelstress.hawk.query.Element;
import org.modelstress.hawk.query.Fidelity;
import org.modelstress.hawk.query.GraphAccess;
import org.modelstress.hawk.query.NodeList;
import org.modelstress.hawk.query.lookup.Lookups;
import org.modelstress.hawk.query.lookup.Plan;
import org.modelstress.hawk.query.lookup.Planner;
import org.modelstress.hawk.query.lookup.Relation;

/** The extents of types in Epsilon's interpreter, whose {@code select} asks the indices. */
final class Extents {
  private final Fidelity fidelity;

  Extents(Fidelity fidelity) {
    this.fidelity = fidelity;
  }

  NodeList of(GraphAccess graph, Catalog.Type type, boolean exact) {
    return exact ? new NodeList(graph.exactExtent(type)) : new Extent(graph, type);
  }

  /** All elements of a type, read when they are needed. */
  private final class Extent extends NodeList implements IAbstractOperationContributor {
    private final GraphAccess graph;
    private final Catalog.Type type;

    Extent(GraphAccess graph, Catalog.Type type) {
      super(null);
      this.graph = graph;
      this.type = type;
    }

    @Override
    protected LongArrayList fetch() {
      return graph.extent(type);
    }

    @Override
    public AbstractOperation getAbstractOperation(String name) {
      return name.equals("select") ? new IndexedSelect() : null;
    }
  }

  /** {@code select} over an extent; what no index serves is evaluated as ever. */
  private final class IndexedSelect extends SelectOperation {
    @Override
    public Collection<?> execute(
        boolean returnOnMatch,
        Object target,
        NameExpression name,
        List<Parameter> iterators,
        Expression condition,
        IEolContext context)
        throws EolRuntimeException {
      if (target instanceof Extent extent && isServed(extent, iterators)) {
        LongArrayList hits = hits(extent, iterators.get(0), condition, context, returnOnMatch);
        if (hits != null) {
          return Elements.fresh(hits);
        }
      }
      return super.execute(returnOnMatch, target, name, iterators, condition, context);
    }

    @Override
    public Collection<?> execute(
        Object target,
        NameExpression name,
        List<Parameter> iterators,
        List<Expression> expressions,
        IEolContext context)
        throws EolRuntimeException {
      return execute(false, target, name, iterators, expressions.get(0), context);
    }
  }

  private static boolean isServed(Extent extent, List<Parameter> iterators) {
    return iterators.size() == 1
        && !iterators.get(0).isExplicitlyTyped()
        && !extent.graph.isObserved();
  }

  private LongArrayList hits(
      Extent extent,
      Parameter parameter,
      Expression condition,
      IEolContext context,
      boolean returnOnMatch)
      throws EolRuntimeException {
    Planner planner =
        new Planner(
            extent.graph.tokens(), fidelity, declared(context), extent.type, parameter.getName());
    Plan plan = planner.plan(condition);
    // the first match ends a search: what comes later is not evaluated
    if (plan == null || (returnOnMatch && !plan.residuals().isEmpty())) {
      return null;
    }
    if (fidelity == Fidelity.PAPER) {
      refuseUnequal(plan, condition);
    }
    LongArrayList hits = run(plan, extent, new Interpreter(context, parameter));
    return fidelity == Fidelity.PAPER && hits != null ? intersected(extent, hits) : hits;
  }

  /** As the original: the whole extent is gone through, whatever the number of hits. */
  private static LongArrayList intersected(Extent extent, LongArrayList hits) {
    LongHashSet found = new LongHashSet(hits);
    return extent.nodes().select(found::contains);
  }

  private static LongArrayList run(Plan plan, Extent extent, Interpreter interpreter)
      throws EolRuntimeException {
    try {
      return Lookups.run(plan, extent.type, extent.graph, interpreter);
    } catch (EolRuntimeException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new EolRuntimeException(e);
    }
  }

  private static void refuseUnequal(Plan plan, ModuleElement condition) throws EolRuntimeException {
    for (Plan.Lookup lookup : plan.lookups()) {
      if (lookup.relation() == Relation.NE) {
        throw new EolRuntimeException(
            "The index of '" + lookup.attribute().name() + "' cannot answer '<>' (fidelity: paper)",
            condition);
      }
    }
  }

  private static Set<String> declared(IEolContext context) {
    return context.getModule() instanceof IEolModule module
        ? module.getOperations().stream().map(Operation::getName).collect(Collectors.toSet())
        : Set.of();
  }

  /** Evaluates parts of a condition in Epsilon's interpreter. */
  private record Interpreter(IEolContext context, Parameter parameter)
      implements Lookups.Evaluator {
    @Override
    public Object value(Expression expression) throws Exception {
      try {
        return context.getExecutorFactory().execute(expression, context);
      } catch (EolRuntimeException e) {
        if (EpsilonText.isCancellation(e)) {
          throw CancelledSignal.instance();
        }
        throw e;
      }
    }

    @Override
    public boolean test(Expression condition, long node) throws Exception {
      Variable variable =
          new Variable(parameter.getName(), new Element(node), parameter.getType(context));
      context.getFrameStack().enterLocal(FrameType.UNPROTECTED, condition, variable);
      Object result = context.getExecutorFactory().execute(condition, context);
      context.getFrameStack().leaveLocal(condition);
      if (result instanceof Boolean truth) {
        return truth;
      }
      throw new EolRuntimeException(
          "A condition must be Boolean, but this is " + result, condition);
    }
  }
}
