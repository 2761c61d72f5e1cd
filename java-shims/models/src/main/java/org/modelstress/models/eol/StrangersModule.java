package org.modelstress.models.eol;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.eclipse.emf.common.util.EList;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.epsilon.common.module.IModule;
import org.eclipse.epsilon.common.module.ModuleElement;
import org.eclipse.epsilon.common.parse.AST;
import org.eclipse.epsilon.eol.EolModule;
import org.eclipse.epsilon.eol.dom.ComplexOperationCallExpression;
import org.eclipse.epsilon.eol.dom.Import;
import org.eclipse.epsilon.eol.execute.context.EolContext;
import org.eclipse.epsilon.eol.execute.control.DefaultExecutionController;

/** An EOL query of a stranger over a model in memory, which it reads; nothing else is reached. */
final class StrangersModule extends EolModule {
  /**
   * For one query.
   *
   * @param ended whether the evaluation ends at its next step
   */
  StrangersModule(BooleanSupplier ended) {
    super(new Context());
    getContext()
        .getExecutorFactory()
        .setExecutionController(
            new DefaultExecutionController() {
              @Override
              public boolean isTerminated() {
                return ended.getAsBoolean();
              }
            });
  }

  @Override
  public ModuleElement adapt(AST cst, ModuleElement parentAst) {
    ModuleElement adapted = super.adapt(cst, parentAst);
    return adapted instanceof ComplexOperationCallExpression ? new Sandbox.RefusedCall() : adapted;
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

  private static final class Context extends EolContext {
    Context() {
      Sandbox.restrict(this);
      methodContributorRegistry =
          new Sandbox.Methods() {
            @Override
            protected ValueMethods values() {
              return new ModelMethods();
            }
          };
    }
  }

  /** Lists that belong to an element of the model can be read only. */
  private static final class ModelMethods extends ValueMethods {
    private static final Set<String> CHANGING =
        Set.of("add", "addAll", "clear", "remove", "removeAll", "retainAll", "set", "subList");

    @Override
    protected Set<String> names(Object target) {
      if (target instanceof EObject) {
        return Set.of("eContainer");
      }
      Set<String> names = super.names(target);
      if (target instanceof EList) {
        names = new HashSet<>(names);
        names.removeAll(CHANGING);
      }
      return names;
    }
  }
}
