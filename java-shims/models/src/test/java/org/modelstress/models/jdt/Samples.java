package org.modelstress.models.jdt;

import java.util.LinkedHashMap;
import java.util.Map;

/** Sources with what is easily counted wrongly. */
final class Samples {
  /** Of {@link #sources}, by hand. */
  static final int SINGLETONS = 6;

  private Samples() {}

  /** Names of entries, not in order, and their texts. */
  static Map<String, String> sources() {
    Map<String, String> sources = new LinkedHashMap<>();
    sources.put("q/Texts.java", TEXTS);
    sources.put("q/Broken.java", "package q; class Broken { int = ; void m( { return }");
    sources.put("q/Empty.java", "");
    sources.put("q/Comment.java", "// nothing but this\n");
    sources.put("q/Marked.java", "\uFEFFpackage q; class Marked { }");
    sources.put("p/package-info.java", "/** Says a word. */ @Deprecated package p;");
    sources.put("module-info.java", "/** M. */ module m { requires java.base; exports p; }");
    sources.put("p/One.java", ONE);
    sources.put("p/Corners.java", CORNERS);
    sources.put("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n");
    return sources;
  }

  private static final String ONE =
      """
      package p;
      /**
       * The usual one. {@link One#get}
       * @see q.Texts
       */
      public class One {
        private static final One ONE = new One();
        private One() {}
        /** @return it */
        @Deprecated public static One get() { return ONE; }
      }
      """;

  /** Singletons: I, Inner, Deep, Twice, In. */
  private static final String CORNERS =
      """
      package p;
      enum E { A { int x() { return 1; } }; public static E get() { return A; } int x() { return 0; } }
      record R(int x) { R { assert x > 0; } public static R get() { return null; } }
      interface I { public static I get() { return null; } }
      @interface An {
        int value() default 3;
        class Inner { public static Inner get() { return null; } }
      }
      class Generic<T> { public static <T> Generic<T> get() { return null; } }
      class Array { public static Array[] get() { return null; } }
      class Nested { static class Deep { static public Deep get() { return null; } } }
      class Other { public static One get() { return null; } }
      class Qualified { public static p.Qualified get() { return null; } }
      class NotStatic { public NotStatic get() { return null; } }
      class NotPublic { static NotPublic get() { return null; } }
      class Constructor { public Constructor() { } public static void get() { } }
      class Annotated { public static @An(4) Other get() { return null; } }
      class Twice {
        public static Twice a() { return null; }
        public static Twice b() { return null; }
      }
      class Local {
        void m() {
          class In { public static In get() { return null; } }
          Object o = new Object() { public Local get() { return null; } };
        }
      }
      """;

  private static final String TEXTS =
      """
      package q;
      import java.util.function.*;
      import static java.lang.Math.*;
      sealed interface S permits A, B { }
      record A(int i) implements S { }
      non-sealed class B implements S { }
      class Texts<T extends Comparable<? super T> & Runnable> {
        String block = \"""
            two lines, "quoted",
              \\t and é\\
            \""";
        char c = '\\u00e9'; double d = 0x1p3; long[] l[] = {{1L}, {}};
        Function<Integer, Integer> f = (x) -> x + 1 + 2 + 3;
        Supplier<Texts<?>> s = Texts::new;
        int m(Object o) throws IllegalStateException, RuntimeException {
          outer:
          for (int i = 0, j = 1; i < j; i++, --j) { if (i > 2) continue outer; else break; }
          for (var v : new int[] {1, 2}) { synchronized (this) { do { ; } while (false); } }
          try (var a = open(); a) { throw new RuntimeException(); }
          catch (IllegalStateException | IllegalArgumentException e) { assert e != null : "no"; }
          finally { /* a block */ }
          return switch (o) {
            case A(int i) when i > 3 -> i;
            case String t -> t.length();
            case null, default -> { yield abs(-1); }
          };
        }
      }
      """;
}
