package org.modelstress.models;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EcoreFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;

class ModelFilesTest {
  private static final String OPEN =
      "<railway:RailwayContainer xmi:version=\"2.0\" xmlns:xmi=\"http://www.omg.org/XMI\" "
          + "xmlns:railway=\"http://www.semanticweb.org/ontologies/2015/trainbenchmark\"";
  private static final String CLOSE = "</railway:RailwayContainer>";

  @TempDir private Path folder;

  private static EObject model() {
    return TrainGenerator.generate(Line.LINE_2016, Scenario.REPAIR, 1, TrainGenerator.DEFAULT_SEED);
  }

  /** The sentence with which a file is refused. */
  private static String refusal(Path file) {
    String sentence = assertThrows(ModelException.class, () -> ModelFiles.load(file)).getMessage();
    assertTrue(sentence.startsWith("Model " + file + " "), sentence);
    assertTrue(sentence.endsWith("."), sentence);
    assertFalse(sentence.contains("\n"), sentence);
    return sentence;
  }

  private Path write(String name, String text) throws Exception {
    return Files.write(folder.resolve(name), text.getBytes(StandardCharsets.UTF_8));
  }

  private static List<String> describe(EObject root) {
    return ModelText.of(List.of(root));
  }

  @ParameterizedTest
  @ValueSource(strings = {"m.xmi", "m.bin"})
  void roundTripKeepsEverything(String name) throws Exception {
    Path file = folder.resolve(name);
    EObject root = model();
    ModelFiles.save(root, file);
    assertEquals(describe(root), describe(ModelFiles.load(file)));
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(List.of(file), left.toList());
    }
  }

  /** The binary format recurses along the ring of tracks; the default stack is too small for it. */
  @Test
  void longChainsFit() throws Exception {
    Path file = folder.resolve("m.bin");
    EObject root = TrainGenerator.generate(Line.LINE_2016, Scenario.BATCH, 32, 1);
    ModelFiles.save(root, file);
    assertEquals(new ElementIndex(root).size(), new ElementIndex(ModelFiles.load(file)).size());
  }

  @Test
  void formatIsToldByTheContent() throws Exception {
    Path xmi = folder.resolve("m.xmi");
    ModelFiles.save(model(), xmi);
    Path renamed = Files.move(xmi, folder.resolve("m.bin"));
    assertEquals(describe(model()), describe(ModelFiles.load(renamed)));
  }

  @Test
  void savingLeavesALoadedModelWhereItIs() throws Exception {
    Path bin = folder.resolve("m.bin");
    ModelFiles.save(model(), bin);
    EObject root = ModelFiles.load(bin);
    Object resource = root.eResource();
    ModelFiles.save(root, folder.resolve("m.xmi"));
    assertEquals(resource, root.eResource());
  }

  @Test
  void missingFileAndFolder() {
    assertTrue(refusal(folder.resolve("none.xmi")).contains("does not exist"));
    assertTrue(refusal(folder).contains("is not a file"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"m.xmi", "m.bin"})
  void truncatedFiles(String name) throws Exception {
    Path file = folder.resolve(name);
    ModelFiles.save(model(), file);
    byte[] whole = Files.readAllBytes(file);
    for (int length : new int[] {0, 1, 7, 20, 300, whole.length / 2, whole.length - 20}) {
      Files.write(file, Arrays.copyOf(whole, length));
      assertTrue(refusal(file).contains("truncated or damaged"), "cut to " + length);
    }
  }

  /** Whatever is in the file, there is a model or a ModelException. */
  @ParameterizedTest
  @ValueSource(strings = {"m.xmi", "m.bin"})
  void damagedFiles(String name) throws Exception {
    Path file = folder.resolve(name);
    ModelFiles.save(model(), file);
    byte[] whole = Files.readAllBytes(file);
    Random random = new Random(1);
    int refused = 0;
    for (int i = 0; i < 60; i++) {
      byte[] damaged = whole.clone();
      // the first part holds what both formats say about the metamodel
      int range = i % 2 == 0 ? 200 : whole.length;
      damaged[random.nextInt(range)] = (byte) random.nextInt();
      Files.write(file, damaged);
      try {
        ModelFiles.load(file);
      } catch (ModelException e) {
        refused++;
      }
    }
    assertTrue(refused > 0);
  }

  @Test
  void danglingLink() throws Exception {
    Path file = write("m.xmi", OPEN + "><routes id=\"1\" entry=\"99\"/>" + CLOSE);
    assertTrue(refusal(file).contains("99"), refusal(file));
  }

  @Test
  void unknownFeature() throws Exception {
    Path file = write("m.xmi", OPEN + "><stations/>" + CLOSE);
    assertTrue(refusal(file).contains("stations"), refusal(file));
  }

  @Test
  void twoRoots() throws Exception {
    String one = "<railway:RailwayContainer/>";
    String text = OPEN.replace("railway:RailwayContainer", "xmi:XMI") + ">" + one + one;
    assertTrue(refusal(write("m.xmi", text + "</xmi:XMI>")).contains("2 root elements"));
  }

  @Test
  void unknownMetamodelInXmi() throws Exception {
    Path file = write("m.xmi", "<x:Thing xmlns:x=\"http://example.org/things\"/>");
    String sentence = refusal(file);
    assertTrue(sentence.contains("unknown metamodel, http://example.org/things"), sentence);
    assertTrue(sentence.contains(Metamodels.train().getNsURI()), sentence);
  }

  @Test
  void unknownMetamodelInBinary() throws Exception {
    EPackage things = EcoreFactory.eINSTANCE.createEPackage();
    things.setName("things");
    things.setNsURI("http://example.org/things");
    EClass thing = EcoreFactory.eINSTANCE.createEClass();
    thing.setName("Thing");
    things.getEClassifiers().add(thing);
    Path file = folder.resolve("m.bin");
    ModelFiles.save(things.getEFactoryInstance().create(thing), file);
    assertTrue(refusal(file).contains("unknown metamodel, http://example.org/things"));
  }

  @Test
  void externalEntitiesAreRefused() throws Exception {
    Path secret = write("secret.txt", "7");
    String doctype = "<!DOCTYPE r [<!ENTITY e SYSTEM \"" + secret.toUri() + "\">]>";
    String body = OPEN + "><routes id=\"1\"><follows id=\"&e;\"/></routes>" + CLOSE;
    assertTrue(refusal(write("m.xmi", doctype + body)).contains("DOCTYPE"));
    Path plain = write("m.xmi", doctype + OPEN + ">" + CLOSE);
    assertTrue(refusal(plain).contains("DOCTYPE"));
  }

  @Test
  void otherDocumentsAreNotRead() throws Exception {
    Path other = folder.resolve("other.xmi");
    ModelFiles.save(model(), other);
    Path link = write("m.xmi", OPEN + "><routes id=\"1\" entry=\"other.xmi#1\"/>" + CLOSE);
    assertTrue(refusal(link).contains("another document"), refusal(link));
    Path href = write("m.xmi", OPEN + "><routes href=\"other.xmi#3\"/>" + CLOSE);
    assertTrue(refusal(href).contains("another document"), refusal(href));
  }

  /** A metamodel given by the model itself is not read, from a file or otherwise. */
  @Test
  void schemaLocationsAreNotRead() throws Exception {
    Path ecore = write("things.ecore", "<x/>");
    String text =
        "<x:Thing xmlns:x=\"http://example.org/things\" "
            + "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
            + "xsi:schemaLocation=\"http://example.org/things "
            + ecore.toUri()
            + "\"/>";
    String sentence = refusal(write("m.xmi", text));
    assertTrue(
        sentence.contains("unknown metamodel") || sentence.contains("another document"), sentence);
  }

  @Test
  void savingNeedsAKnownExtensionAndAFolder() throws Exception {
    ModelException extension =
        assertThrows(
            ModelException.class, () -> ModelFiles.save(model(), folder.resolve("m.json")));
    assertTrue(extension.getMessage().contains(".xmi, .bin"), extension.getMessage());
    Path nowhere = folder.resolve("no").resolve("m.xmi");
    ModelException missing =
        assertThrows(ModelException.class, () -> ModelFiles.save(model(), nowhere));
    assertTrue(missing.getMessage().contains("create it first"), missing.getMessage());
  }

  /** A failed save leaves the old file, and no temporary one. */
  @Test
  void failedSaveLeavesTheOldFile() throws Exception {
    Path file = folder.resolve("m.xmi");
    ModelFiles.save(model(), file);
    byte[] before = Files.readAllBytes(file);
    EObject broken = model();
    ElementIndex index = new ElementIndex(broken);
    EObject route = index.element(1);
    EObject elsewhere =
        route
            .eClass()
            .getEPackage()
            .getEFactoryInstance()
            .create((EClass) Metamodels.train().getEClassifier("Semaphore"));
    route.eSet(route.eClass().getEStructuralFeature("exit"), elsewhere);
    assertThrows(ModelException.class, () -> ModelFiles.save(broken, file));
    assertArrayEquals(before, Files.readAllBytes(file));
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(List.of(file), left.toList());
    }
  }
}
