package org.modelstress.models.jdt;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.modelstress.models.Metamodels;

class JdtMetamodelTest {
  private static final JdtMetamodel METAMODEL = JdtMetamodel.generate();

  private static byte[] ecore() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    JdtExtractor.writeMetamodel(out);
    return out.toByteArray();
  }

  private static EClass dom(String name) {
    return (EClass) METAMODEL.dom().getEClassifier(name);
  }

  @Test
  void generatingTwiceGivesTheSameBytes() throws Exception {
    assertArrayEquals(ecore(), ecore());
    assertNotSame(JdtMetamodel.generate().dom(), JdtMetamodel.generate().dom());
  }

  /** Queries, stores and counts depend on it; a change has to be seen, and wanted. */
  @Test
  void shapeIsPinned() throws Exception {
    try (InputStream pinned = getClass().getResourceAsStream("jdtast.ecore")) {
      assertEquals(
          new String(pinned.readAllBytes(), StandardCharsets.UTF_8),
          new String(ecore(), StandardCharsets.UTF_8));
    }
  }

  @Test
  void readingItBackGivesEqualPackages(@TempDir Path folder) throws Exception {
    EPackage.Registry read = Metamodels.read(Files.write(folder.resolve("jdtast.ecore"), ecore()));
    List<EPackage> packages =
        METAMODEL.packages().stream().map(each -> read.getEPackage(each.getNsURI())).toList();
    assertTrue(EcoreUtil.equals(METAMODEL.packages(), packages));
  }

  @Test
  void hasThePackagesOfTheContest() {
    assertEquals(
        List.of("Core", "DOM", "PrimitiveTypes"),
        METAMODEL.packages().stream().map(EPackage::getName).toList());
    assertEquals(
        List.of("http://modelstress.org/jdtast/DOM", "DOM"),
        List.of(METAMODEL.dom().getNsURI(), METAMODEL.dom().getNsPrefix()));
    int classes = METAMODEL.dom().getEClassifiers().size();
    assertTrue(Math.abs(classes - 135) <= 2, "about 135, but " + classes);
  }

  /** By hand from the contest's queries: class, feature, its type, its bounds. */
  @ParameterizedTest
  @CsvSource({
    "AbstractTypeDeclaration, bodyDeclarations, BodyDeclaration, 0, -1",
    "AbstractTypeDeclaration, name, SimpleName, 1, 1",
    "BodyDeclaration, modifiers, ExtendedModifier, 0, -1",
    "BodyDeclaration, javadoc, Javadoc, 0, 1",
    "MethodDeclaration, returnType, Type, 0, 1",
    "MethodDeclaration, thrownExceptions, Type, 0, -1",
    "MethodDeclaration, parameters, SingleVariableDeclaration, 0, -1",
    "TypeDeclaration, interface, EBoolean, 0, 1",
    "Name, fullyQualifiedName, EString, 0, 1",
    "SimpleName, identifier, EString, 0, 1",
    "SimpleType, name, Name, 1, 1",
    "Modifier, public, EBoolean, 0, 1",
    "Modifier, static, EBoolean, 0, 1",
    "Modifier, nonSealed, EBoolean, 0, 1",
    "CompilationUnit, types, AbstractTypeDeclaration, 0, -1",
    "CompilationUnit, comments, Comment, 0, -1"
  })
  void hasTheNamesOfTheContest(String owner, String name, String type, int lower, int upper) {
    EStructuralFeature feature = dom(owner).getEStructuralFeature(name);
    assertEquals(owner, feature.getEContainingClass().getName());
    assertEquals(type, feature.getEType().getName());
    assertEquals(List.of(lower, upper), List.of(feature.getLowerBound(), feature.getUpperBound()));
  }

  @Test
  void everyModifierIsABooleanOfItsOwn() {
    String expected =
        "abstract default final module native nonSealed private protected public sealed static"
            + " strictfp synchronized transient volatile";
    List<EStructuralFeature> own = dom("Modifier").getEStructuralFeatures();
    assertTrue(own.stream().allMatch(each -> each.getEType() == EcorePackage.Literals.EBOOLEAN));
    assertEquals(
        expected,
        own.stream().map(EStructuralFeature::getName).sorted().collect(Collectors.joining(" ")));
  }

  @Test
  void superclassesAreThoseOfJdt() {
    assertTrue(dom("BodyDeclaration").isSuperTypeOf(dom("MethodDeclaration")));
    assertTrue(dom("AbstractTypeDeclaration").isSuperTypeOf(dom("EnumDeclaration")));
    assertTrue(dom("AbstractTypeDeclaration").isSuperTypeOf(dom("RecordDeclaration")));
    assertTrue(dom("ExtendedModifier").isSuperTypeOf(dom("Modifier")));
    assertTrue(dom("ExtendedModifier").isSuperTypeOf(dom("MarkerAnnotation")));
    assertTrue(dom("Name").isSuperTypeOf(dom("QualifiedName")));
    assertTrue(dom("ASTNode").isAbstract());
    assertTrue(!dom("TypeDeclaration").isAbstract());
  }

  /** No class says twice what it is, and every name is used once in a class. */
  @Test
  void featuresAreNotRepeated() {
    METAMODEL.dom().getEClassifiers().stream()
        .map(EClass.class::cast)
        .forEach(
            each -> {
              List<String> names =
                  each.getEAllStructuralFeatures().stream()
                      .map(EStructuralFeature::getName)
                      .toList();
              assertEquals(names.size(), new TreeSet<>(names).size(), each.getName() + names);
            });
  }

  /** Everything but the list of comments is a tree. */
  @Test
  void containmentLeadsFromTheModelToTheNodes() {
    List<String> others =
        METAMODEL.packages().stream()
            .flatMap(each -> each.getEClassifiers().stream())
            .flatMap(each -> each instanceof EClass c ? c.getEReferences().stream() : Stream.of())
            .filter(each -> !each.isContainment())
            .map(EStructuralFeature::getName)
            .toList();
    assertEquals(List.of("comments"), others);
  }
}
