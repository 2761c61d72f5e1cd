package org.modelstress.models.jdt;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.eclipse.emf.common.util.Diagnostic;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.util.Diagnostician;
import org.eclipse.jdt.core.dom.ASTNode;
import org.eclipse.jdt.core.dom.ASTVisitor;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.GrabatsQueries;
import org.modelstress.models.ModelException;
import org.modelstress.models.ModelSource;
import org.modelstress.models.ModelText;
import org.modelstress.models.grabats.SingletonMatcher;
import org.modelstress.models.jdt.JdtExtractor.Counts;
import org.modelstress.models.jdt.JdtExtractor.Split;

/** What is extracted from {@link Samples}. */
class JdtExtractorTest {
  @TempDir private static Path folder;
  private static Path jar;
  private static Path model;
  private static Counts counts;

  @BeforeAll
  static void extractOnce() throws Exception {
    // a name that an address has to encode
    jar = Jars.write(folder.resolve("a sample#1-sources.jar"), Samples.sources());
    model = folder.resolve("single");
    counts = extract(Split.SINGLE, model);
  }

  private static Counts extract(Split split, Path output) throws ModelException {
    return JdtExtractor.extract(List.of(jar), split, output, (done, total) -> {});
  }

  private static ModelSource read(Path output) throws ModelException {
    return ModelSource.read(output.resolve("model.json"));
  }

  private static Map<String, byte[]> bytes(Path output) throws Exception {
    Map<String, byte[]> bytes = new TreeMap<>();
    try (Stream<Path> all = Files.walk(output)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        bytes.put(output.relativize(file).toString(), Files.readAllBytes(file));
      }
    }
    return bytes;
  }

  @Test
  void everyElementConforms() throws Exception {
    for (EObject root : read(model).roots()) {
      Diagnostic found = Diagnostician.INSTANCE.validate(root);
      assertEquals(Diagnostic.OK, found.getSeverity(), found.getChildren().toString());
    }
  }

  @Test
  void foldersAndFilesAreInAlphabeticalOrder() throws Exception {
    List<Object> names = new ArrayList<>();
    ElementIndex index = new ElementIndex(read(model).roots());
    for (int i = 0; i < index.size(); i++) {
      EObject element = index.element(i);
      if (element.eClass().getEPackage().getName().equals("Core")) {
        names.add(element.eGet(element.eClass().getEStructuralFeature("elementName")));
      }
    }
    assertEquals(
        List.of(
            "",
            "a sample#1",
            "a sample#1",
            "",
            "module-info.java",
            "p",
            "Corners.java",
            "One.java",
            "package-info.java",
            "q",
            "Broken.java",
            "Comment.java",
            "Empty.java",
            "Marked.java",
            "Texts.java"),
        names);
  }

  @ParameterizedTest
  @EnumSource
  void sameElementsInTheSameOrderHoweverTheyAreSplit(Split split) throws Exception {
    Path output = folder.resolve("split-" + split);
    assertEquals(counts, extract(split, output));
    ModelSource read = read(output);
    int files =
        switch (split) {
          case SINGLE -> 1;
          case PACKAGE -> 1 + 3;
          case UNIT -> 1 + 9;
        };
    assertEquals(files, read.files().size());
    assertEquals(1, read.roots().size());
    assertEquals(ModelText.of(read(model).roots()), ModelText.of(read.roots()));
  }

  @ParameterizedTest
  @EnumSource
  void sameBytesTwice(Split split) throws Exception {
    Path first = folder.resolve("first-" + split);
    Path second = folder.resolve("second-" + split);
    extract(split, first);
    extract(split, second);
    extract(split, second); // and once more over it
    Map<String, byte[]> expected = bytes(first);
    Map<String, byte[]> found = bytes(second);
    assertEquals(expected.keySet(), found.keySet());
    expected.forEach((file, bytes) -> assertArrayEquals(bytes, found.get(file), file));
  }

  @Test
  void countsAreThoseOfAVisitor() throws Exception {
    long[] nodes = new long[1];
    for (Map.Entry<String, String> source : Samples.sources().entrySet()) {
      String name = source.getKey().substring(source.getKey().lastIndexOf('/') + 1);
      if (name.endsWith(".java")) {
        String text = source.getValue().replace("\uFEFF", "");
        JavaSource.parse(name, text.toCharArray())
            .accept(
                new ASTVisitor(true) {
                  @Override
                  public void preVisit(ASTNode node) {
                    nodes[0]++;
                  }
                });
      }
    }
    assertEquals(nodes[0], counts.nodes());
    assertEquals(9, counts.units());
    ModelSource read = read(model);
    assertEquals(new ElementIndex(read.roots()).size(), counts.elements());
    SingletonMatcher matcher = new SingletonMatcher(read.roots(), read.metamodels());
    assertEquals(counts.nodes(), matcher.nodes());
  }

  @Test
  void everyWayToCountSingletonsAgrees() throws Exception {
    assertEquals(Samples.SINGLETONS, counts.singletons());
    ModelSource read = read(model);
    ElementIndex index = new ElementIndex(read.roots());
    SingletonMatcher matcher = new SingletonMatcher(read.roots(), read.metamodels());
    long[] expected = index.indicesOf(matcher.matches());
    assertEquals(Samples.SINGLETONS, expected.length);
    for (String file : GrabatsQueries.FILES) {
      Path description = model.resolve("model.json");
      assertArrayEquals(expected, GrabatsQueries.singletons(description, file), file);
    }
  }

  /** What JDT keeps as text or keyword is in the model, with the contest's names. */
  @Test
  void valuesAreThere() throws Exception {
    String text = String.join("\n", ModelText.of(read(model).roots()));
    for (String expected :
        List.of(
            "SimpleName fullyQualifiedName=ONE identifier=ONE",
            "QualifiedName fullyQualifiedName=p.Qualified",
            "PrimitiveType primitiveTypeCode=int",
            "public=true",
            "nonSealed=true",
            "InfixExpression operator=+",
            "tagName=@see",
            "TextBlock escapedValue=\"\"\"",
            "CharacterLiteral escapedValue='\\u00e9'")) {
      assertTrue(text.contains(expected), expected);
    }
    assertTrue(text.matches("(?s).*CompilationUnit[^\n]* comments \\d+ \\d+\n.*"), "no comments");
  }
}
