package org.modelstress.models.eol;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.eclipse.epsilon.common.parse.AST;
import org.eclipse.epsilon.common.parse.problem.ParseProblem;
import org.eclipse.epsilon.common.util.AstUtil;
import org.eclipse.epsilon.eol.dom.ComplexOperationCallExpression;
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
import org.eclipse.epsilon.eol.parse.EolParser;
import org.eclipse.epsilon.eol.types.EolTuple;

/**
 * What a query of a stranger may do in Epsilon, which otherwise calls any public Java method of any
 * object, makes objects of any class, reads and writes files and starts threads: here methods of
 * elements, types, collections, strings, numbers and Booleans only, none that gives a class, a
 * model, a stream or a file.
 */
public final class Sandbox {
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
  public static void restrict(EolContext context) {
    context.setNativeTypeDelegates(List.of());
    context.setOperationFactory(new KnownOperations());
    context.setIntrospectionManager(new ReadOnly());
    context.setUserInput(null);
  }

  /** The methods that can be called. */
  public static class Methods extends OperationContributorRegistry {
    private static final Object[] NOTHING = {};

    /** What may be called of Java's own. */
    protected ValueMethods values() {
      return new ValueMethods();
    }

    /** The same method, which a subclass may bound. */
    protected ObjectMethod bounded(
        ObjectMethod found, Object target, Object[] arguments, IEolContext context) {
      return found;
    }

    @Override
    protected List<OperationContributor> getDefaultOperationContributors() {
      return Arrays.asList(
          new StringCompatibilityOperationContributor(),
          values(),
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

    private ObjectMethod allowed(
        ObjectMethod found, Object target, Object[] arguments, IEolContext context) {
      if (found == null || found.getMethod() == null) {
        return found;
      }
      Method method = found.getMethod();
      if (FORBIDDEN.contains(method.getName().toLowerCase(Locale.ROOT))
          || method.getReturnType() == Class.class) {
        return null;
      }
      return bounded(found, target, arguments, context);
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

  /** Notes as problems what would read other files: imports, and declarations of models. */
  public static void refuseImports(AST text, List<ParseProblem> problems) {
    for (AST ast :
        AstUtil.getChildren(text, new int[] {EolParser.IMPORT, EolParser.MODELDECLARATION})) {
      ParseProblem problem = new ParseProblem();
      problem.setLine(ast.getLine());
      problem.setColumn(ast.getColumn());
      problem.setReason("a query can neither import files nor declare models");
      problems.add(problem);
    }
  }

  /** Calls with several lambdas look for Java methods of any object: there are none to find. */
  public static final class RefusedCall extends ComplexOperationCallExpression {
    @Override
    public Object execute(IEolContext context) throws EolRuntimeException {
      throw new EolRuntimeException("Method '" + getName() + "' not found", this);
    }
  }
}
