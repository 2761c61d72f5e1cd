package org.modelstress.hawk.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.harness.query.FailedQueryException;
import org.modelstress.harness.query.InvalidQueryException;

/** A query cannot run Java code, reach files or start threads. */
class SandboxTest {
  private static final ModelGraph MODEL = new ModelGraph(RandomModel.of(new Random(1), 5));
  @TempDir private Path folder;

  private static Object run(String text) throws Exception {
    Object paper = MODEL.run(Fidelity.PAPER, Language.EOL, text);
    assertEquals(paper, MODEL.run(Fidelity.IMPROVED, Language.EOL, text));
    return paper;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "return new Native('java.io.File')('/');",
        "var f : new Native('java.io.File')('/'); return f;",
        "return new Native('java.lang.ProcessBuilder')(Sequence{'true'}).start();",
        "return Native('java.lang.Runtime');",
        "return Native('java.lang.System').getProperty('user.home');",
        "return Thing.all.first().class;",
        "return Thing.all.first().getClass();",
        "return 'a'.class.forName('java.lang.Runtime');",
        "return 'a'.getClass();",
        "return 'a'.CLASS;",
        "return 1.class;",
        "return Sequence{1}.class;",
        "return Thing.class;",
        "return Thing.getModel();",
        "return Thing.model;",
        "return Thing.all.first().owningModel();",
        "return Thing.all.first().nativeType();",
        "return 'a'.nativeType;",
        "return Thing.all.first().type().eClass;",
        "return Thing.all.first().type().node();",
        "return System.getPlatformProperty('user.home');",
        "return System.executeNative('true');",
        "return System.context;",
        "return System.user;",
        "return Sequence{1}.stream();",
        "return Sequence{1}.parallelStream();",
        "return Sequence{1}.parallelSelect(x | true);",
        "return Sequence{1, 2}.parallelCollect(x | x);",
        "return Sequence{1}.removeIf(x | true);",
        "return Sequence{1}.forEach(x | x.println());",
        "return 'a'.describeConstable();",
        "return 'a'.toEnum();",
        "return 'a'.wait(1);",
        "return 'a'.foo(1);",
        "return 'a'.foo(x | 1, y | 2);",
        "return 'a'.bytes.class;",
        "return Set{}.iterator().class;",
        "var f = function(x | x); return f;",
        "return Thing.all.first().println().class;",
      })
  void cannotReachJava(String text) {
    for (Fidelity fidelity : Fidelity.values()) {
      Exception e =
          assertThrows(Exception.class, () -> MODEL.run(fidelity, Language.EOL, text), text);
      assertTrue(
          e instanceof FailedQueryException || e instanceof InvalidQueryException, e.toString());
    }
  }

  @Test
  void cannotWriteFiles() {
    Path file = folder.resolve("written");
    assertThrows(FailedQueryException.class, () -> run("'x'.store('" + file + "');"));
    assertFalse(Files.exists(file));
  }

  @ParameterizedTest
  @ValueSource(strings = {"eol", "epl", "erl"})
  void cannotReadFiles(String extension) throws Exception {
    Path file = folder.resolve("secret." + extension);
    Files.writeString(file, "operation secret() { return 42; }");
    String text = "import '" + file + "';\nreturn secret();";
    assertThrows(InvalidQueryException.class, () -> run(text));
    assertThrows(
        InvalidQueryException.class,
        () -> MODEL.run(Fidelity.IMPROVED, Language.EPL, "import '" + file + "';"));
    assertThrows(InvalidQueryException.class, () -> run("model M driver EMF { file = 'a' };"));
  }

  /** What a query needs still works. */
  @Test
  void keepsTheLanguage() throws Exception {
    assertEquals("HELLO", run("return 'hello'.toUpperCase();"));
    assertEquals("b", run("return 'abc'.substring(1, 2);"));
    assertEquals(3, run("return Sequence{1, 2, 3}.collect(x | x).max();"));
    assertEquals(7, run("return (3.0).floor() + (4).abs();"));
    assertEquals("Special", run("return Thing.all.first().type().name;"));
    assertEquals(2, run("var t : Tuple; t = Tuple{a = 1}; t.a = 2; return t.a;"));
    assertEquals(6, run("return 3.twice(); operation Integer twice() { return self * 2; }"));
    assertEquals(true, run("return Thing.all.first().hasProperty('n');"));
  }
}
