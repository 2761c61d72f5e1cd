package org.modelstress.hawk.query.epsilon;

import java.io.PrintStream;
import java.util.Set;
import org.eclipse.epsilon.eol.execute.context.EolContext;
import org.eclipse.epsilon.eol.execute.context.IEolContext;
import org.eclipse.epsilon.eol.execute.introspection.java.ObjectMethod;
import org.eclipse.epsilon.eol.execute.operations.contributors.OperationContributorRegistry;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.models.eol.Sandbox;
import org.modelstress.models.eol.ValueMethods;

/** The {@link Sandbox} over a graph: little is printed, and every call is bounded. */
final class QueryContext {
  private QueryContext() {}

  /** Takes from a context what would reach beyond the query. */
  static void restrict(EolContext context) {
    Sandbox.restrict(context);
    renewOutput(context);
  }

  /** The next evaluation may print as much again. */
  static void renewOutput(IEolContext context) {
    PrintStream output = new QueryOutput().stream();
    context.setOutputStream(output);
    context.setWarningStream(output);
    context.setErrorStream(output);
  }

  /** The methods that can be called. */
  static OperationContributorRegistry contributors() {
    return new BoundedMethods();
  }

  private static final class BoundedMethods extends Sandbox.Methods {
    @Override
    protected ValueMethods values() {
      return new GraphMethods();
    }

    @Override
    protected ObjectMethod bounded(
        ObjectMethod found, Object target, Object[] arguments, IEolContext context) {
      return BoundedCall.isNeeded(found.getMethod().getName(), arguments)
          ? new BoundedCall(found, target, new Texts(() -> isCancelled(context)))
          : found;
    }

    private static boolean isCancelled(IEolContext context) {
      return context.getExecutorFactory().getExecutionController().isTerminated();
    }
  }

  /** What an element's type is asked for. */
  private static final class GraphMethods extends ValueMethods {
    private static final Set<String> OF_CATALOG_TYPES = Set.of("name");

    @Override
    protected Set<String> names(Object target) {
      return target instanceof Catalog.Type ? OF_CATALOG_TYPES : super.names(target);
    }

    @Override
    protected boolean isOfAny(Object target, String method) {
      return super.isOfAny(target, method) && !(target instanceof Catalog.Type);
    }
  }
}
