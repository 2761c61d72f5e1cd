package org.modelstress.hawk.query.epsilon;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.epsilon.common.module.IModule;
import org.eclipse.epsilon.common.module.ModuleElement;
import org.eclipse.epsilon.common.parse.AST;
import org.eclipse.epsilon.eol.EolModule;
import org.eclipse.epsilon.eol.dom.CollectionLiteralExpression;
import org.eclipse.epsilon.eol.dom.ComplexOperationCallExpression;
import org.eclipse.epsilon.eol.dom.EqualsOperatorExpression;
import org.eclipse.epsilon.eol.dom.Import;
import org.eclipse.epsilon.eol.dom.NotEqualsOperatorExpression;
import org.eclipse.epsilon.eol.dom.PlusOperatorExpression;
import org.eclipse.epsilon.eol.dom.TypeExpression;
import org.eclipse.epsilon.eol.exceptions.EolRuntimeException;
import org.eclipse.epsilon.eol.execute.context.EolContext;
import org.eclipse.epsilon.eol.execute.context.IEolContext;
import org.eclipse.epsilon.eol.types.EolAnyType;
import org.eclipse.epsilon.eol.types.EolType;
import org.eclipse.epsilon.epl.EplModule;
import org.eclipse.epsilon.epl.dom.NoMatch;
import org.eclipse.epsilon.epl.dom.Pattern;
import org.eclipse.epsilon.epl.dom.Role;
import org.eclipse.epsilon.epl.execute.PatternMatch;
import org.eclipse.epsilon.epl.execute.context.EplContext;
import org.eclipse.epsilon.epl.parse.EplParser;
import org.modelstress.models.eol.Sandbox;

/** Epsilon's modules inside the {@link Sandbox}, as {@link QueryContext} makes it. */
public final class Modules {
  private Modules() {}

  /** An EOL query. */
  static final class Eol extends EolModule {
    Eol() {
      super(new SafeEolContext());
    }

    @Override
    public ModuleElement adapt(AST cst, ModuleElement parentAst) {
      return harmless(super.adapt(cst, parentAst));
    }

    @Override
    protected void checkImports(AST cst) {
      Sandbox.refuseImports(cst, getParseProblems());
    }

    @Override
    protected Collection<Import> getImportsByExtension(
        AST cst, String extension, Class<? extends IModule> implementation) {
      return List.of();
    }

    @Override
    protected void prepareContext() {
      getContext().setModule(this);
    }
  }

  /**
   * Calls with several lambdas look for Java methods of any object: there are none to find. Other
   * expressions are exchanged for such as are bounded.
   */
  private static ModuleElement harmless(ModuleElement adapted) {
    if (adapted instanceof ComplexOperationCallExpression) {
      return new Sandbox.RefusedCall();
    } else if (adapted instanceof CollectionLiteralExpression) {
      return new BoundedExpressions.Literal();
    } else if (adapted instanceof PlusOperatorExpression) {
      return new BoundedExpressions.Plus();
    } else if (adapted instanceof NotEqualsOperatorExpression) {
      return new BoundedExpressions.NotEquals();
    }
    return adapted instanceof EqualsOperatorExpression ? new BoundedExpressions.Equals() : adapted;
  }

  /** An EPL query, which keeps its matches in their order. */
  static final class Epl extends EplModule {
    private final List<Map<String, Object>> matches = new ArrayList<>();

    Epl() {
      super(new SafeEplContext());
    }

    /** The matches so far: role to what it is bound to. */
    List<Map<String, Object>> matches() {
      return matches;
    }

    @Override
    public ModuleElement adapt(AST cst, ModuleElement parentAst) {
      return cst.getType() == EplParser.ROLE
          ? new PlainRole()
          : harmless(super.adapt(cst, parentAst));
    }

    /** Epsilon's own result is a set that takes matches for equal that are not. */
    @Override
    public Collection<PatternMatch> match(Pattern pattern) throws EolRuntimeException {
      Collection<PatternMatch> found = super.match(pattern);
      for (PatternMatch match : found) {
        Map<String, Object> bindings = new LinkedHashMap<>();
        for (Role role : pattern.getRoles()) {
          for (String name : role.getNames()) {
            Object bound = match.getRoleBinding(name);
            bindings.put(name, bound instanceof NoMatch ? null : bound);
          }
        }
        matches.add(bindings);
      }
      return found;
    }

    @Override
    protected void checkImports(AST cst) {
      Sandbox.refuseImports(cst, getParseProblems());
    }

    @Override
    protected Collection<Import> getImportsByExtension(
        AST cst, String extension, Class<? extends IModule> implementation) {
      return List.of();
    }

    @Override
    protected void prepareContext() {
      getContext().setModule(this);
    }
  }

  /** A role that may be of type Any when its domain says where its elements come from. */
  public static final class PlainRole extends Role {
    @Override
    public EolType getType(IEolContext context) throws EolRuntimeException {
      boolean any = getDomain() != null && "Any".equals(typeExpression.getName());
      return any ? EolAnyType.Instance : super.getType(context);
    }

    /** Its type as it is written. */
    public TypeExpression typeExpression() {
      return typeExpression;
    }

    /** Whether it stands for exactly one element each time. */
    public boolean isPlain() {
      return names.size() == 1
          && !negative
          && cardinality.isOne()
          && optionalAst == null
          && activeAst == null;
    }
  }

  private static final class SafeEolContext extends EolContext {
    SafeEolContext() {
      QueryContext.restrict(this);
      methodContributorRegistry = QueryContext.contributors();
    }
  }

  private static final class SafeEplContext extends EplContext {
    SafeEplContext() {
      QueryContext.restrict(this);
      methodContributorRegistry = QueryContext.contributors();
    }
  }
}
