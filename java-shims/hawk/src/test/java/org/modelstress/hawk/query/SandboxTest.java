package org.modelstress.hawk.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.queries.FailedQueryException;
import org.modelstress.queries.InvalidQueryException;

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
        "return 1.getInteger('java.specification.version');",
        "return 1.getInteger('java.specification.version', 2);",
        "return 1.asLong().getLong('java.specification.version');",
        "return true.getBoolean('java.awt.headless');",
        "return 1.decode('7');",
        "return 1.parseInt('7');",
        "return 1.valueOf('7');",
        "return true.parseBoolean('true');",
        "return true.logicalAnd(true, true);",
        "return 1.reverse(1);",
        "return 1.5.parseDouble('7');",
        "return 'a'.valueOf(1);",
        "return 'a'.join(',', Sequence{'a', 'b'});",
        "return 'a'.copyValueOf('a'.toCharArray());",
        "return 'a'.getBytes();",
        "return 'a'.getBytes('UTF-8');",
        "return 'a'.chars();",
        "return 'a'.lines();",
        "return 'a'.intern();",
        "return 'a'.formatted(1);",
        "return 'a'.toCharArray();",
        "return 'a'.subSequence(0, 1);",
        "return 'a'.transform(x | x);",
        "return 'a'.notify();",
        "return Sequence{}.ensureCapacity(2000000000);",
        "return Sequence{}.trimToSize();",
        "return Sequence{1}.iterator();",
        "return Sequence{1}.listIterator();",
        "return Sequence{1}.spliterator();",
        "return Sequence{1}.toArray();",
        "return Sequence{2, 1}.sort(null);",
        "return Map{1 = 2}.forEach(x | x);",
        "return Map{1 = 2}.computeIfAbsent(2, x | x);",
        "return Map{1 = 2}.merge(1, 2, x | x);",
        "return Thing.createInstance();",
        "return Thing.setTypeName('Special');",
        "return Thing.setModelName('M');",
        "return Thing.setName('Special');",
        "return Thing.getMetaClass();",
        "return Thing.getParentTypes();",
        "return Thing.all.first().type().features();",
        "return Thing.all.first().type().toString();",
      })
  void cannotReachJava(String text) {
    for (Fidelity fidelity : Fidelity.values()) {
      Exception e =
          assertThrows(Exception.class, () -> MODEL.run(fidelity, Language.EOL, text), text);
      assertTrue(
          e instanceof FailedQueryException || e instanceof InvalidQueryException, e.toString());
    }
  }

  /** Of queries that print without end, a few bytes reach the log. */
  @Test
  void printsLittle() throws Exception {
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      MODEL.run(
          Fidelity.PAPER,
          Language.EOL,
          "for (i in Sequence{1..3000}) { 'printed'.println(); 'printed'.errln(); } return 1;");
    } finally {
      System.setErr(before);
    }
    String printed = log.toString(StandardCharsets.UTF_8);
    assertTrue(printed.contains("printed"), printed);
    assertTrue(printed.length() < 10_000, printed.length() + " characters were printed");
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
    assertEquals(3, run("return 'abc'.length();"));
    assertEquals(true, run("return 'abc'.startsWith('a') and 'abc'.equalsIgnoreCase('ABC');"));
    assertEquals(1, run("return 'abc'.indexOf('b');"));
    assertEquals(5, run("return 5.max(3);"));
    assertEquals(7, run("return '7'.asInteger();"));
    assertEquals(5, run("return (5.6).intValue();"));
    assertEquals(2, run("var m = Map{1 = 2}; m.put(2, 3); return m.size();"));
    assertEquals(true, run("return Map{1 = 2}.containsKey(1);"));
    assertEquals(1, run("var s = Sequence{1, 2}; s.remove(1); return s.size();"));
    assertEquals("a,b", run("return Sequence{'a', 'b'}.concat(',');"));
    assertEquals(5, run("return Thing.allInstances().size();"));
  }
}
