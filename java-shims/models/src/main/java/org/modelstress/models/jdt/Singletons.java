package org.modelstress.models.jdt;

import org.eclipse.jdt.core.dom.ASTVisitor;
import org.eclipse.jdt.core.dom.CompilationUnit;
import org.eclipse.jdt.core.dom.MethodDeclaration;
import org.eclipse.jdt.core.dom.Modifier;
import org.eclipse.jdt.core.dom.SimpleType;
import org.eclipse.jdt.core.dom.TypeDeclaration;

/**
 * Counts singletons in JDT's own trees, the count that every query has to agree with: type
 * declarations with a public static method that returns a simple type of the declaration's name.
 */
final class Singletons extends ASTVisitor {
  private long found;

  private Singletons() {
    super(false);
  }

  static long in(CompilationUnit unit) {
    Singletons singletons = new Singletons();
    unit.accept(singletons);
    return singletons.found;
  }

  @Override
  public boolean visit(TypeDeclaration type) {
    for (MethodDeclaration method : type.getMethods()) {
      if (isInstanceGetter(method, type.getName().getIdentifier())) {
        found++;
        break;
      }
    }
    return true;
  }

  private static boolean isInstanceGetter(MethodDeclaration method, String typeName) {
    return Modifier.isPublic(method.getModifiers())
        && Modifier.isStatic(method.getModifiers())
        && method.getReturnType2() instanceof SimpleType returned
        && returned.getName().getFullyQualifiedName().equals(typeName);
  }
}
