package org.modelstress.hawk.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.queries.Cancellation;
import org.modelstress.queries.FailedQueryException;
import org.modelstress.queries.QueryCancelledException;

/** Every query ends when it is cancelled, whatever it does at that moment. */
@Timeout(240)
class CancellationTest {
  private static final ModelGraph MODEL = new ModelGraph(RandomModel.of(new Random(1), 5));
  private static final String ROWS = "var a = Sequence{1..1000000}; var b = a.collect(x | -x); ";

  /** A list that has another twice, which has a third twice and so on. */
  private static final String NEST =
      "var l = Sequence{1}; for (i in Sequence{1..50}) { var m = Sequence{}; m.add(l); m.add(l);"
          + " l = m; } ";

  private final ExecutorService thread = Executors.newSingleThreadExecutor();

  @AfterEach
  void end() {
    thread.shutdownNow();
  }

  private Future<Object> start(
      Fidelity fidelity, Language language, String text, Cancellation cancellation) {
    QueryEngine engine = new QueryEngine(MODEL.graph, MODEL.catalog, fidelity);
    return thread.submit(
        () ->
            engine.run(
                language,
                text,
                QueryScope.ALL,
                cancellation,
                (result, reader) -> MODEL.plain(result)));
  }

  private void endsWhenCancelled(Language language, String text) throws Exception {
    for (Fidelity fidelity : Fidelity.values()) {
      Cancellation cancellation = new Cancellation();
      Future<Object> running = start(fidelity, language, text, cancellation);
      Thread.sleep(700);
      assertTrue(!running.isDone(), () -> "ended by itself: " + text + " " + running);
      cancellation.cancel();
      ExecutionException e =
          assertThrows(ExecutionException.class, () -> running.get(100, TimeUnit.SECONDS), text);
      assertInstanceOf(QueryCancelledException.class, e.getCause(), text);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "while (true) {}",
        "return ('x'.repeat(3000) + '!').matches('x*x*x*x*x*y');",
        "return ('x'.repeat(3000) + '!').replaceAll('x*x*x*x*x*y', 'z');",
        "return ('x'.repeat(3000) + '!').replace('x*x*x*x*x*y', 'z');",
        "return ('x'.repeat(3000) + '!').replaceFirst('x*x*x*x*x*y', 'z');",
        "return ('x'.repeat(3000) + '!').split('x*x*x*x*x*y');",
        "return 'x'.repeat(4000000).indexOf('x'.repeat(2000000 - 1) + 'y');",
        "return 'x'.repeat(4000000).contains('x'.repeat(2000000 - 1) + 'y');",
        "return 'x'.repeat(4000000).lastIndexOf('x'.repeat(2000000 - 1) + 'y');",
        ROWS + "return a.includesAll(a.invert()) and a.includesAll(a.invert());",
        ROWS + "return a.containsAll(a.invert());",
        ROWS + "return a.excludesAll(b);",
        ROWS + "return a.excludingAll(b);",
        ROWS + "return a.removeAll(b);",
        ROWS + "return b.retainAll(a);",
        "return 1.f(); operation Integer f() { while (true) {} }",
      })
  void aCancelledQueryEnds(String text) throws Exception {
    endsWhenCancelled(Language.EOL, text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pattern P a : Thing guard { while (true) {} return true; }",
        "pattern P a : Thing guard : ('x'.repeat(3000) + '!').matches('x*x*x*x*x*y')",
      })
  void aCancelledPatternEnds(String text) throws Exception {
    endsWhenCancelled(Language.EPL, text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "return 'x'.pad(2000000000, 'y', true);",
        "return 'x'.pad(5, '', true);",
        "return 'x'.repeat(2000000000);",
        "var s = 'xx'; while (true) { s = s + s; }",
        "var s = 'xx'; while (true) { s = s.concat(s); }",
        "var s = 'xx'; while (true) { s = s.replace('x', 'xxxx'); }",
        "return 1.format('%2000000000d');",
        "return 'x'.format('%.2000000000s%2000000000s');",
        "return Sequence{1..2000000000};",
        "return Sequence{2000000000..-2000000000};",
        "return 1.to(2000000000);",
        "return 1.iota(2000000000, 1);",
        "return 1.iota(2, 0);",
        "return Sequence{1..40}.powerset();",
        "var s = Sequence{1}; while (true) { s = s + s; }",
        NEST + "return l;",
        NEST + "return l.toString();",
        NEST + "return l.asString();",
        NEST + "return l.hashCode();",
        NEST + "return l.flatten();",
        NEST + "return l.println();",
        NEST + "return Set{l};",
        NEST + "return Sequence{}.includes(l);",
        NEST + "return l = 1;",
      })
  void whatIsTooLargeIsRefused(String text) throws Exception {
    for (Fidelity fidelity : Fidelity.values()) {
      Future<Object> running = start(fidelity, Language.EOL, text, new Cancellation());
      ExecutionException e =
          assertThrows(ExecutionException.class, () -> running.get(100, TimeUnit.SECONDS), text);
      assertInstanceOf(FailedQueryException.class, e.getCause(), text);
      String message = e.getCause().getMessage();
      assertTrue(
          message.contains("at most") || message.contains("too many elements"),
          text + ": " + message);
    }
  }

  private Object run(String text) throws Exception {
    Object paper = MODEL.run(Fidelity.PAPER, Language.EOL, text);
    assertEquals(paper, MODEL.run(Fidelity.IMPROVED, Language.EOL, text), text);
    return paper;
  }

  /** What is done in another way than Java and Epsilon do it, with the same outcome. */
  @Test
  void boundedOperationsGiveWhatTheOthersGave() throws Exception {
    assertEquals("xyzyz", run("return 'x'.pad(4, 'yz', true);"));
    assertEquals("yzx", run("return 'x'.pad(2, 'yz', false);"));
    assertEquals("long", run("return 'long'.pad(2, 'y', true);"));
    assertEquals("a-b-", run("return 'a1b22'.replace('[0-9]+', '-');"));
    assertEquals("a-b22", run("return 'a1b22'.replaceFirst('[0-9]+', '-');"));
    assertEquals("<1>", run("return '1'.replaceAll('(1)', '<$1>');"));
    assertEquals("a$1c", run("return 'a.c'.replaceLiteral('.', '$1');"));
    assertEquals(true, run("return 'aab'.matches('a+b');"));
    assertEquals(false, run("return 'aabc'.matches('a+b');"));
    assertEquals(List.of("a", "b"), run("return 'a,b,,'.split(',').asSequence();"));
    assertEquals("007", run("return 7.format('%03d');"));
    assertEquals("[x]", run("return 'x'.format('[%s]');"));
    assertEquals("ababab", run("return 'ab'.repeat(3);"));
    assertEquals(2, run("return 'abab'.lastIndexOf('ab');"));
    assertEquals(2, run("return 'abab'.indexOf('ab', 1);"));
    assertEquals(0, run("return 'abab'.lastIndexOf('ab', 1);"));
    assertEquals(-1, run("return 'abab'.indexOf('c');"));
    assertEquals(true, run("return 'ab'.isSubstringOf('cabc');"));
    assertEquals(List.of(3, 2, 1), run("return Sequence{3..1};"));
    assertEquals(List.of(1, 2), run("return Sequence{1..2};"));
    assertEquals(List.of(1), run("return Sequence{1..1};"));
    assertEquals(List.of(1, 2, 3), run("return 1.to(3);"));
    assertEquals(List.of(3, 2, 1), run("return Sequence{1, 2, 3}.invert();"));
    assertEquals(List.of(2, 1), run("return OrderedSet{1, 2}.invert();"));
    assertEquals(true, run("return Sequence{1, 2}.includesAll(Set{2});"));
    assertEquals(List.of(1), run("return Sequence{1, 2}.excludingAll(Set{2});"));
    assertEquals(true, run("var s = Set{1, 2}; return s.removeAll(Bag{2, 3}) and s.size() = 1;"));
    assertEquals(4, run("return Set{1, 2}.powerset().size();"));
    assertEquals(true, run("return Sequence{1, Sequence{2}} = Sequence{1, Sequence{2}};"));
    assertEquals(true, run("return Sequence{1} <> Sequence{2};"));
    assertEquals("a1", run("return 'a' + 1;"));
  }
}
