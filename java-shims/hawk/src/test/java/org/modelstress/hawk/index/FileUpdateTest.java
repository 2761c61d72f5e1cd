package org.modelstress.hawk.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.emf.ecore.EObject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.hawk.index.LiveIndex.State;
import org.modelstress.hawk.query.Language;
import org.modelstress.hawk.query.QueryScope;
import org.modelstress.models.ModelDescription;
import org.modelstress.models.ModelSource;
import org.modelstress.models.jdt.JdtExtractor.Split;
import org.modelstress.queries.Cancellation;

/** Which files of a model an update reads, and when it has to read them all. */
@Timeout(120)
class FileUpdateTest {
  private static final String METAMODEL =
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <ecore:EPackage xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI"
          xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
          xmlns:ecore="http://www.eclipse.org/emf/2002/Ecore"
          name="parts" nsURI="http://example.org/parts" nsPrefix="parts">
        <eClassifiers xsi:type="ecore:EClass" name="Part">
          <eStructuralFeatures xsi:type="ecore:EAttribute" name="name"
              eType="ecore:EDataType http://www.eclipse.org/emf/2002/Ecore#//EString"/>
          <eStructuralFeatures xsi:type="ecore:EReference" name="parts" upperBound="-1"
              eType="#//Part" containment="true" resolveProxies="true"/>
          <eStructuralFeatures xsi:type="ecore:EReference" name="next" eType="#//Part"/>
        </eClassifiers>
      </ecore:EPackage>
      """;

  @TempDir Path folder;
  private final MemoryBackend backend = new MemoryBackend();
  private LiveIndex index;

  @AfterEach
  void close() {
    if (index != null) {
      index.close();
    }
  }

  private Path live() {
    return folder.resolve("live");
  }

  private void open(Path model) throws Exception {
    TrainFixture.build(model, List.of(), backend, live());
    index = TrainFixture.open(backend, live());
  }

  /** Updates and compares with an index built anew; says how it was updated. */
  private String update(Path model) throws Exception {
    index.synchronise(true);
    MemoryBackend reference = new MemoryBackend();
    Path fresh = folder.resolve("fresh");
    TrainFixture.build(model, List.of(), reference, fresh);
    try (LiveIndex built = TrainFixture.open(reference, fresh)) {
      LongArrayList nodes = new IndexFolder(fresh).readIds(built.graph());
      assertEquals(
          IndexImage.of(built, nodes), IndexImage.of(index, Twins.of(built, nodes, index)));
      assertEquals(Set.copyOf(built.files()), Set.copyOf(index.files()));
    }
    return index.message();
  }

  private Path write(String path, String text) throws Exception {
    Files.createDirectories(folder.resolve("parts"));
    return Files.writeString(folder.resolve("parts").resolve(path), text);
  }

  private static String part(String name, String inside) {
    return """
        <parts:Part xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI"
            xmlns:parts="http://example.org/parts" name="%s">%s</parts:Part>
        """
        .formatted(name, inside);
  }

  /** Describes the files as they are. */
  private Path describe(String... files) throws Exception {
    List<ModelDescription.Entry> entries = new ArrayList<>();
    for (String file : files) {
      entries.add(entry(file));
    }
    return ModelDescription.of(List.of(entry("parts.ecore")), entries)
        .write(folder.resolve("parts"));
  }

  private ModelDescription.Entry entry(String path) throws Exception {
    byte[] bytes = Files.readAllBytes(folder.resolve("parts").resolve(path));
    byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
    return new ModelDescription.Entry(path, HexFormat.of().formatHex(hash));
  }

  /** A whole that holds b and c, b's second part being next to c's first if so wanted. */
  private Path parts(boolean linked) throws Exception {
    write("parts.ecore", METAMODEL);
    write("a.xmi", part("a", "<parts href=\"b.xmi#/\"/><parts href=\"c.xmi#/\"/>"));
    String next = linked ? "<next href=\"c.xmi#//@parts.0\"/>" : "";
    write("b.xmi", part("b", "<parts name=\"b0\"/><parts name=\"b1\">" + next + "</parts>"));
    write("c.xmi", part("c", "<parts name=\"c0\"/>"));
    return describe("a.xmi", "b.xmi", "c.xmi");
  }

  @Test
  void onlyAChangedUnitIsRead() throws Exception {
    JavaSources sources = JavaSources.withEverything();
    Path model = sources.extract(folder, Split.UNIT);
    open(model);
    assertTrue(Files.exists(new IndexFolder(live()).ids()));
    sources.toggleSingleton();
    sources.extract(folder, Split.UNIT);
    assertTrue(update(model).contains(" by 1 of 5 files "), index.message());
    UpdateCounts counts = index.lastUpdate();
    assertEquals(0, counts.created());
    assertTrue(counts.deleted() > 0 && counts.deleted() < 20, counts.toString());
    assertFalse(Files.exists(new IndexFolder(live()).ids()), "it is out of date");
    assertTrue(update(model).contains(" is as it was"));
    assertEquals(UpdateCounts.NONE, index.lastUpdate());
  }

  @Test
  void everyElementIsInTheFileItCameFrom() throws Exception {
    Path model = JavaSources.withEverything().extract(folder, Split.UNIT);
    open(model);
    ModelSource source = ModelSource.read(model);
    assertEquals(5, source.files().size());
    for (ModelSource.File file : source.files()) {
      long types = 0;
      for (var all = file.contents().get(0).eAllContents(); all.hasNext(); ) {
        EObject each = all.next();
        boolean here = !file.path().equals("model.bin");
        types += here && each.eClass().getName().equals("TypeDeclaration") ? 1 : 0;
      }
      Path place = model.resolveSibling(file.path());
      assertTrue(index.files().contains(place), place + " in " + index.files());
      assertEquals(types, query("return TypeDeclaration.all.size();", place), file.path());
    }
  }

  private long query(String text, Path file) throws Exception {
    return index.query(
        Language.EOL,
        text,
        new QueryScope(List.of(file.toString()), List.of()),
        new Cancellation(),
        (result, reader) -> ((Number) result).longValue());
  }

  @Test
  void aNewUnitAndTheFileThatHoldsItAreRead() throws Exception {
    JavaSources sources = JavaSources.random(1);
    Path model = sources.extract(folder, Split.UNIT);
    open(model);
    sources.addUnit();
    sources.extract(folder, Split.UNIT);
    assertTrue(update(model).contains(" by 2 of 7 files "), index.message());
    assertEquals(0, index.lastUpdate().deleted());
  }

  @Test
  void filesThatContainEachOtherAreReadAlone() throws Exception {
    Path model = parts(false);
    open(model);
    write("b.xmi", part("b", "<parts name=\"b1\"/><parts name=\"b2\"/>"));
    describe("a.xmi", "b.xmi", "c.xmi");
    assertTrue(update(model).contains(" by 1 of 3 files "), index.message());
    write("a.xmi", part("a", "<parts href=\"c.xmi#/\"/><parts href=\"b.xmi#/\"/><parts/>"));
    describe("a.xmi", "b.xmi", "c.xmi");
    assertTrue(update(model).contains(" by 1 of 3 files "), index.message());
    assertEquals(1, index.lastUpdate().created());
  }

  @Test
  void whatRefersToOthersOrIsReferredToIsReadWithAll() throws Exception {
    Path model = parts(true);
    open(model);
    write("a.xmi", part("A", "<parts href=\"b.xmi#/\"/><parts href=\"c.xmi#/\"/>"));
    describe("a.xmi", "b.xmi", "c.xmi");
    assertTrue(update(model).contains(" by 1 of 3 files "), index.message());
    // b refers to the first part of c, which is another one now
    write("c.xmi", part("c", "<parts name=\"new\"/><parts name=\"c0\"/>"));
    describe("a.xmi", "b.xmi", "c.xmi");
    assertTrue(update(model).contains(" with "), index.message());
    assertTrue(Files.exists(new IndexFolder(live()).ids()), "the places are known again");
    String next = "<next href=\"c.xmi#//@parts.1\"/>";
    write("b.xmi", part("b", "<parts name=\"b1\">" + next + "</parts>"));
    describe("a.xmi", "b.xmi", "c.xmi");
    assertTrue(update(model).contains(" with "), index.message());
  }

  @Test
  void aFileThatIsHeldNoMoreOrElsewhereIsReadWithAll() throws Exception {
    Path model = parts(false);
    open(model);
    // c moves below b
    write("a.xmi", part("a", "<parts href=\"b.xmi#/\"/>"));
    write("b.xmi", part("b", "<parts href=\"c.xmi#/\"/>"));
    describe("a.xmi", "b.xmi", "c.xmi");
    assertTrue(update(model).contains(" by 2 of 3 files "), index.message());
    // nothing holds c
    write("b.xmi", part("b", ""));
    describe("a.xmi", "b.xmi", "c.xmi");
    assertTrue(update(model).contains(" with "), index.message());
    // gone
    describe("a.xmi", "b.xmi");
    assertTrue(update(model).contains(" by 0 of 2 files "), index.message());
  }

  @Test
  void anotherTypeAtTheTopIsReadWithAll() throws Exception {
    Path model = parts(false);
    open(model);
    write(
        "b.xmi",
        "<xmi:XMI xmi:version=\"2.0\" xmlns:xmi=\"http://www.omg.org/XMI\" "
            + "xmlns:parts=\"http://example.org/parts\"><parts:Part name=\"b\"/>"
            + "<parts:Part name=\"b2\"/></xmi:XMI>");
    describe("a.xmi", "b.xmi", "c.xmi");
    assertTrue(update(model).contains(" with "), index.message());
  }

  @Test
  void anotherMetamodelIsRefused() throws Exception {
    open(parts(false));
    List<String> before = IndexImage.of(index, new IndexFolder(live()));
    write("parts.ecore", METAMODEL.replace("name=\"next\"", "name=\"other\""));
    write("b.xmi", part("b", ""));
    describe("a.xmi", "b.xmi", "c.xmi");
    Exception refused = assertThrows(IllegalStateException.class, () -> index.synchronise(true));
    assertEquals(
        "Metamodel http://example.org/parts is not the one that was indexed; load the index again.",
        refused.getMessage());
    assertEquals(State.RUNNING, index.state());
    assertEquals(before, IndexImage.of(index, new IndexFolder(live())));
  }

  @Test
  void afterAFailureTheIndexIsAsItWas() throws Exception {
    open(parts(false));
    List<String> before = IndexImage.of(index, new IndexFolder(live()));
    write("b.xmi", part("b", "<parts name=\"b0\"/>")); // not described yet
    index.synchronise(true);
    assertEquals(UpdateCounts.NONE, index.lastUpdate(), "only the description says what is new");
    describe("a.xmi", "b.xmi", "c.xmi");
    write("b.xmi", part("b", "<parts"));
    Exception refused = assertThrows(IllegalStateException.class, () -> index.synchronise(true));
    assertTrue(refused.getMessage().contains("b.xmi is not the one"), refused.getMessage());
    assertEquals(State.RUNNING, index.state());
    assertEquals(before, IndexImage.of(index, new IndexFolder(live())));
  }
}
