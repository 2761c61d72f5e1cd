package org.modelstress.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The harness knows no study: its names, texts and imports have no word of study 1. */
class StudyWordsTest {
  private static final Path SOURCES = Path.of("src", "main", "java"); // of the module's folder

  private static final Set<String> FORBIDDEN =
      Set.of(
          "query",
          "queries",
          "ocl",
          "eol",
          "epl",
          "gremlin",
          "language",
          "tuple",
          "metamodel",
          "ecore",
          "emf",
          "xmi",
          "cdo",
          "hawk",
          "mogwai",
          "neoemf",
          "thrift");

  private static final Pattern NAME = Pattern.compile("\\w+");
  private static final Pattern WORD = Pattern.compile("[A-Z]?[a-z]+|[A-Z]+(?![a-z])");

  @Test
  void noneIsInTheSources() throws Exception {
    List<Path> files;
    try (Stream<Path> all = Files.walk(SOURCES)) {
      files = all.filter(file -> file.toString().endsWith(".java")).sorted().toList();
    }
    assertTrue(files.size() > 40, "found only " + files);
    List<String> found = new ArrayList<>();
    for (Path file : files) {
      for (String name : suspects(Files.readString(file))) {
        found.add(file + ": " + name);
      }
    }
    assertEquals(List.of(), found, "move it to the module of its study, or find a general word");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "import org.modelstress.queries.HeapWatch; | queries",
        "class A { String s = \"SELECT a query\"; } | query",
        "class A { String s = \"{'tuple': 1}\"; } | tuple",
        "class A { int theQueryCount; } | theQueryCount",
        "class A { void run() { other.parseOCL(); } } | parseOCL",
        "class EolText {} | EolText",
        "record A(String language) {} | language",
        "enum A { QUERY_RUNS } | QUERY_RUNS",
        "/** Of a query. */ class A { String protocol = \"replace\"; /* tuple */ } |",
        "class A { String query_text; } | query_text",
      })
  void theyWouldBeFound(String source, String name) throws Exception {
    assertEquals(name == null ? Set.of() : Set.of(name), suspects(source));
  }

  /** Names in code and in literals, comments left out, that contain a forbidden word. */
  private static Set<String> suspects(String source) throws IOException {
    Set<String> suspects = new TreeSet<>();
    for (String text : texts(source)) {
      for (Matcher name = NAME.matcher(text); name.find(); ) {
        if (WORD.matcher(name.group())
            .results()
            .anyMatch(word -> FORBIDDEN.contains(word.group().toLowerCase(Locale.ROOT)))) {
          suspects.add(name.group());
        }
      }
    }
    return suspects;
  }

  private static List<String> texts(String source) throws IOException {
    JavaFileObject file =
        new SimpleJavaFileObject(URI.create("string:///A.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
          }
        };
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    JavacTask task =
        (JavacTask) compiler.getTask(null, null, null, List.of("-proc:none"), null, List.of(file));
    Texts texts = new Texts();
    for (CompilationUnitTree unit : task.parse()) {
      texts.scan(unit, null);
    }
    return texts.found;
  }

  private static final class Texts extends TreeScanner<Void, Void> {
    private final List<String> found = new ArrayList<>();

    @Override
    public Void visitLiteral(LiteralTree tree, Void none) {
      found.add(String.valueOf(tree.getValue()));
      return super.visitLiteral(tree, none);
    }

    @Override
    public Void visitIdentifier(IdentifierTree tree, Void none) {
      found.add(tree.getName().toString());
      return super.visitIdentifier(tree, none);
    }

    @Override
    public Void visitMemberSelect(MemberSelectTree tree, Void none) {
      found.add(tree.getIdentifier().toString());
      return super.visitMemberSelect(tree, none);
    }

    @Override
    public Void visitMemberReference(MemberReferenceTree tree, Void none) {
      found.add(tree.getName().toString());
      return super.visitMemberReference(tree, none);
    }

    @Override
    public Void visitClass(ClassTree tree, Void none) {
      found.add(tree.getSimpleName().toString());
      return super.visitClass(tree, none);
    }

    @Override
    public Void visitMethod(MethodTree tree, Void none) {
      found.add(tree.getName().toString());
      return super.visitMethod(tree, none);
    }

    @Override
    public Void visitVariable(VariableTree tree, Void none) {
      found.add(tree.getName().toString());
      return super.visitVariable(tree, none);
    }
  }
}
