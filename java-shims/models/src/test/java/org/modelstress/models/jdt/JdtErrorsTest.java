package org.modelstress.models.jdt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.models.JavaProcess;
import org.modelstress.models.ModelException;
import org.modelstress.models.ModelSource;
import org.modelstress.models.jdt.JdtExtractor.Split;

/** Sources that cannot be read and folders that cannot be written: one sentence, nothing left. */
class JdtErrorsTest {
  @TempDir private Path folder;
  private Path output;

  @BeforeEach
  void nameOutput() {
    output = folder.resolve("model");
  }

  /** The sentence with which sources are refused, after which there is nothing new. */
  private String refusal(Path... jars) throws IOException {
    List<String> before = names(folder);
    String sentence =
        assertThrows(
                ModelException.class,
                () -> JdtExtractor.extract(List.of(jars), Split.UNIT, output, (done, of) -> {}))
            .getMessage();
    assertTrue(sentence.endsWith("."), sentence);
    assertFalse(sentence.contains("\n"), sentence);
    assertEquals(before, names(folder));
    return sentence;
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.map(Path::toString).sorted().toList();
    }
  }

  private Path sample(String name) throws IOException {
    return Jars.write(folder.resolve(name), Samples.sources());
  }

  @Test
  void missingJar() throws Exception {
    assertTrue(refusal(folder.resolve("none.jar")).contains("none.jar do not exist"));
    assertTrue(refusal(folder).contains("are no file"));
  }

  @Test
  void truncatedJar() throws Exception {
    Path jar = sample("a.jar");
    byte[] whole = Files.readAllBytes(jar);
    for (int length : new int[] {0, 10, whole.length / 2, whole.length - 1}) {
      Files.write(jar, java.util.Arrays.copyOf(whole, length));
      assertTrue(refusal(jar).contains(jar + " cannot be read"), "cut to " + length);
    }
  }

  /** A digit that became another one: only the checksum tells. */
  @Test
  void damagedEntry() throws Exception {
    Path jar = folder.resolve("a.jar");
    Jars.write(jar, Map.of("p/First.java", "package p; class First { int number = 1234567; }"));
    String bytes = Files.readString(jar, StandardCharsets.ISO_8859_1);
    assertTrue(bytes.contains("1234567"));
    Files.writeString(jar, bytes.replace("1234567", "1234568"), StandardCharsets.ISO_8859_1);
    String sentence = refusal(jar);
    assertTrue(sentence.contains(jar + " cannot be read: p/First.java has a wrong checksum"));
  }

  @Test
  void jarWithoutSources() throws Exception {
    Path jar = Jars.write(folder.resolve("a.jar"), Map.of("p/A.class", "x"));
    assertTrue(refusal(jar).contains("no .java file"), refusal(jar));
  }

  /** An entry's name must not lead out of the model's folder. */
  @Test
  void namesThatLeadElsewhere() throws Exception {
    for (String name : List.of("../../Out.java", "/Out.java", "p/./Out.java", "p//Out.java")) {
      Path jar = Jars.write(folder.resolve("a.jar"), Map.of(name, "class Out { }"));
      assertTrue(refusal(jar).contains("'" + name + "'"), refusal(jar));
    }
  }

  @Test
  void twoJarsOfTheSameName() throws Exception {
    Path jar = sample("a-sources.jar");
    assertTrue(refusal(jar, sample("a.jar")).contains("the name of others, a;"));
    assertTrue(refusal(jar, jar).contains("the name of others, a;"));
  }

  /** Fifty thousand levels, and JDT's own walk is recursive. */
  @Test
  void sourceThatIsTooDeep() throws Exception {
    String text = "class Deep { boolean b = " + "!".repeat(50_000) + "true; }";
    Path jar = Jars.write(folder.resolve("a.jar"), Map.of("p/Deep.java", text));
    String sentence = refusal(jar);
    assertTrue(sentence.contains("p/Deep.java"), sentence);
    assertTrue(sentence.contains("-Xss"), sentence);
  }

  @Test
  void folderThatIsNotThere() throws Exception {
    output = folder.resolve("no").resolve("model");
    assertTrue(refusal(sample("a.jar")).contains("create it first"));
  }

  @Test
  void folderWithSomethingElse() throws Exception {
    Path jar = sample("a.jar");
    Files.createDirectory(output);
    assertTrue(refusal(jar).contains("is no model; remove it first"));
    Files.delete(output);
    JdtExtractor.extract(List.of(jar), Split.SINGLE, output, (done, of) -> {});
    Files.writeString(output.resolve("work.txt"), "of years");
    assertTrue(refusal(jar).contains("such as work.txt"), refusal(jar));
  }

  /** A failure leaves the model that was there. */
  @Test
  void modelThatWasThereBefore() throws Exception {
    JdtExtractor.extract(List.of(sample("a.jar")), Split.UNIT, output, (done, of) -> {});
    Path broken = Jars.write(folder.resolve("b.jar"), Map.of("p/A.class", "x"));
    refusal(broken);
    assertEquals(10, ModelSource.read(output.resolve("model.json")).files().size());
  }

  /** SIGTERM; the JVM does the same for Ctrl-C. */
  @Test
  void stoppedFromOutside() throws Exception {
    Path jar = sample("a.jar");
    Path errors = Files.createFile(folder.resolve("errors"));
    List<String> before = names(folder);
    Process process =
        JavaProcess.start(errors, "-Xmx256m", Stalled.class, jar.toString(), output.toString());
    try {
      assertEquals("stalled", process.inputReader().readLine());
      assertTrue(names(folder).size() > before.size() + 5, "nothing was written yet");
      process.destroy();
      assertTrue(process.waitFor(60, TimeUnit.SECONDS));
      assertEquals(before, names(folder));
    } finally {
      process.destroyForcibly();
    }
  }

  /** Extracts, and stops in the middle until somebody ends the process. */
  static final class Stalled {
    private Stalled() {}

    public static void main(String[] args) throws Exception {
      JdtExtractor.extract(
          List.of(Path.of(args[0])),
          Split.UNIT,
          Path.of(args[1]),
          (done, of) -> {
            if (done == of) {
              System.out.println("stalled");
              await();
            }
          });
    }

    private static void await() {
      try {
        Thread.sleep(Long.MAX_VALUE);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }
}
