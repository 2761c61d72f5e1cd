package org.modelstress.models.jdt;

import java.util.HashMap;
import java.util.Map;
import org.eclipse.jdt.core.dom.AST;
import org.eclipse.jdt.core.dom.ASTParser;
import org.eclipse.jdt.core.dom.CompilationUnit;

/** Parses Java sources as the ladder's counts want it; they depend on every setting here. */
final class JavaSource {
  /** Level of the syntax trees; changing it changes metamodel and counts. */
  static final int LEVEL = 26;

  private static final Map<String, String> OPTIONS = options();

  static {
    if (AST.getJLSLatest() != LEVEL) {
      throw new IllegalStateException("this JDT's level is " + AST.getJLSLatest());
    }
  }

  private JavaSource() {}

  /**
   * Parses a source, without bindings; what is not understood is left out of the tree, as JDT does.
   *
   * @param name the unit's file name; {@code module-info.java} is parsed as a module
   */
  static CompilationUnit parse(String name, char[] source) {
    ASTParser parser = ASTParser.newParser(LEVEL);
    parser.setKind(ASTParser.K_COMPILATION_UNIT);
    parser.setCompilerOptions(new HashMap<>(OPTIONS));
    parser.setUnitName(name);
    parser.setResolveBindings(false);
    parser.setSource(source);
    return (CompilationUnit) parser.createAST(null);
  }

  private static Map<String, String> options() {
    String compiler = "org.eclipse.jdt.core.compiler.";
    String version = String.valueOf(LEVEL);
    return Map.of(
        compiler + "source", version,
        compiler + "compliance", version,
        compiler + "codegen.targetPlatform", version,
        compiler + "doc.comment.support", "enabled");
  }
}
