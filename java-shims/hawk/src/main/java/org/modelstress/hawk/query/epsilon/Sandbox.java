package org.modelstress.hawk.query.epsilon;

import java.io.PrintStream;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.eclipse.epsilon.eol.dom.Expression;
import org.eclipse.epsilon.eol.dom.NameExpression;
import org.eclipse.epsilon.eol.dom.Parameter;
import org.eclipse.epsilon.eol.exceptions.EolIllegalOperationException;
import org.eclipse.epsilon.eol.exceptions.EolRuntimeException;
import org.eclipse.epsilon.eol.execute.context.EolContext;
import org.eclipse.epsilon.eol.execute.context.IEolContext;
import org.eclipse.epsilon.eol.execute.introspection.IPropertySetter;
import org.eclipse.epsilon.eol.execute.introspection.IntrospectionManager;
import org.eclipse.epsilon.eol.execute.introspection.java.ObjectMethod;
import org.eclipse.epsilon.eol.execute.operations.AbstractOperation;
import org.eclipse.epsilon.eol.execute.operations.EolOperationFactory;
import org.eclipse.epsilon.eol.execute.operations.contributors.AnyOperationContributor;
import org.eclipse.epsilon.eol.execute.operations.contributors.BooleanOperationContributor;
import org.eclipse.epsilon.eol.execute.operations.contributors.IntegerOperationContributor;
import org.eclipse.epsilon.eol.execute.operations.contributors.IterableOperationContributor;
import org.eclipse.epsilon.eol.execute.operations.contributors.ModelElementOperationContributor;
import org.eclipse.epsilon.eol.execute.operations.contributors.NumberOperationContributor;
import org.eclipse.epsilon.eol.execute.operations.contributors.OperationContributor;
import org.eclipse.epsilon.eol.execute.operations.contributors.OperationContributorRegistry;
import org.eclipse.epsilon.eol.execute.operations.contributors.ScalarOperationContributor;
import org.eclipse.epsilon.eol.execute.operations.contributors.StringOperationContributor;
import org.eclipse.epsilon.eol.execute.operations.contributors.compatibility.StringCompatibilityOperationContributor;
import org.eclipse.epsilon.eol.models.IModel;
import org.eclipse.epsilon.eol.types.EolTuple;

/**
 * What a query of a stranger may do in Epsilon, which otherwise calls any public Java method of any
 * object, makes objects of any class, reads and writes files and starts threads: here methods of
 * elements, types, collections, strings, numbers and Booleans only, none that gives a class, a
 * model, a stream or a file.
 */
final class Sandbox {
  private static final Set<String> FORBIDDEN =
      Set.of(
          "getclass",
          "notify",
          "notifyall",
          "wait",
          "nativetype",
          "getnativetype",
          "owningmodel",
          "getowningmodel",
          "store",
          "toenum",
          "stream",
          "parallelstream",
          "describeconstable",
          "resolveconstantdesc",
          "asdate",
          "getdeclaringclass",
          "getmodel",
          "setmodel",
          "getmetaclass",
          "setmetaclass");

  private Sandbox() {}

  /** Takes from a context what would reach beyond the query. */
  static void restrict(EolContext context) {
    context.setNativeTypeDelegates(List.of());
    context.setOperationFactory(new KnownOperations());
    context.setIntrospectionManager(new ReadOnly());
    renewOutput(context);
    context.setUserInput(null);
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
    return new Contributors();
  }

  private static final class Contributors extends OperationContributorRegistry {
    private static final Object[] NOTHING = {};

    @Override
    protected List<OperationContributor> getDefaultOperationContributors() {
      return Arrays.asList(
          new StringCompatibilityOperationContributor(),
          new ValueMethods(),
          new StringOperationContributor(),
          new IntegerOperationContributor(),
          new NumberOperationContributor(),
          new BooleanOperationContributor(),
          new IterableOperationContributor(),
          new ScalarOperationContributor(),
          new AnyOperationContributor(),
          new ModelElementOperationContributor());
    }

    @Override
    public void add(OperationContributor contributor) {
      throw new UnsupportedOperationException("the methods are fixed");
    }

    @Override
    public ObjectMethod findContributedMethodForUnevaluatedParameters(
        Object target, String name, List<Expression> parameters, IEolContext context) {
      return allowed(
          super.findContributedMethodForUnevaluatedParameters(target, name, parameters, context),
          target,
          NOTHING,
          context);
    }

    @Override
    public ObjectMethod findContributedMethodForEvaluatedParameters(
        Object target, String name, Object[] parameters, IEolContext context) {
      return allowed(
          super.findContributedMethodForEvaluatedParameters(target, name, parameters, context),
          target,
          parameters,
          context);
    }

    private static ObjectMethod allowed(
        ObjectMethod found, Object target, Object[] arguments, IEolContext context) {
      if (found == null || found.getMethod() == null) {
        return found;
      }
      Method method = found.getMethod();
      if (FORBIDDEN.contains(method.getName().toLowerCase(Locale.ROOT))
          || method.getReturnType() == Class.class) {
        return null;
      }
      return BoundedCall.isNeeded(method.getName(), arguments)
          ? new BoundedCall(found, target, new Texts(() -> isCancelled(context)))
          : found;
    }

    private static boolean isCancelled(IEolContext context) {
      return context.getExecutorFactory().getExecutionController().isTerminated();
    }
  }

  /** Epsilon's operations without those that start threads or look for Java methods. */
  private static final class KnownOperations extends EolOperationFactory {
    KnownOperations() {
      operationCache.keySet().removeIf(name -> name.startsWith("parallel"));
    }

    @Override
    public AbstractOperation getOperationFor(String name) {
      return operationCache.getOrDefault(name, UnknownOperation.INSTANCE);
    }

    @Override
    public AbstractOperation getOptimisedOperation(
        String name, Object target, IModel owner, IEolContext context) {
      return getOperationFor(name);
    }
  }

  private static final class UnknownOperation extends AbstractOperation {
    static final UnknownOperation INSTANCE = new UnknownOperation();

    @Override
    public Object execute(
        Object target,
        NameExpression name,
        List<Parameter> iterators,
        List<Expression> expressions,
        IEolContext context)
        throws EolRuntimeException {
      throw new EolIllegalOperationException(
          target, name.getName(), name, context.getPrettyPrinterManager());
    }
  }

  /** Tuples and extended properties can be changed, nothing else. */
  private static final class ReadOnly extends IntrospectionManager {
    @Override
    public IPropertySetter getPropertySetterFor(
        Object instance, String property, IEolContext context) {
      if (instance instanceof EolTuple || property.startsWith("~")) {
        return super.getPropertySetterFor(instance, property, context);
      }
      return (object, name, value, c) -> {
        throw new EolRuntimeException("The model is read only: '" + name + "' cannot be set");
      };
    }
  }
}
