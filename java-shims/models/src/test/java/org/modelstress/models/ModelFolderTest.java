package org.modelstress.models;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.resource.impl.BinaryResourceImpl;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Models of several files: written, described, read. */
class ModelFolderTest {
  private static final String NODE = "<parts xsi:type='net:Node' ";

  @TempDir private Path folder;
  private Net net;
  private Path output;

  @BeforeEach
  void writeMetamodel() throws Exception {
    net = new Net(folder.resolve("own"));
    output = folder.resolve("model");
  }

  /** Two roots in three files; c is a part of b, and b's first part links into a. */
  private Path importThree() throws Exception {
    Path a = net.write("a.xmi", Net.root(NODE + "name='a1'/>"));
    String link = "<next href='../a.xmi#//@parts.0'/>";
    Path b =
        net.write(
            "far off/b.xmi",
            Net.root(NODE + "href='c.xmi#/'/>" + NODE + "name='b1'>" + link + "</parts>"));
    Path c = net.write("far off/c.xmi", Net.root(NODE + "name='c1'/>"));
    return net.importTo(output, a, b, c);
  }

  private static String refusal(Path description) {
    String sentence =
        assertThrows(ModelException.class, () -> ModelSource.read(description)).getMessage();
    assertTrue(sentence.endsWith("."), sentence);
    assertFalse(sentence.contains("\n"), sentence);
    return sentence;
  }

  private static Object name(EObject element) {
    return element.eGet(element.eClass().getEStructuralFeature("name"));
  }

  @Test
  void filesAreReadAsOneModel() throws Exception {
    ModelSource model = ModelSource.read(importThree());
    assertEquals(2, model.roots().size());
    ElementIndex index = new ElementIndex(model.roots());
    List<Object> names =
        Stream.iterate(0, i -> i < index.size(), i -> i + 1)
            .map(i -> name(index.element(i)))
            .toList();
    assertEquals(List.of("root", "a1", "root", "root", "c1", "b1"), names);
    EObject b1 = index.element(5);
    assertEquals(index.element(1), b1.eGet(b1.eClass().getEStructuralFeature("next")));
    for (int i = 0; i < index.size(); i++) {
      assertEquals(model.root().eResource(), index.element(i).eResource());
    }
    assertEquals(
        List.of("a.xmi", "far off/b.xmi", "far off/c.xmi"),
        model.files().stream().map(ModelSource.File::path).toList());
    assertEquals(index.element(3), model.files().get(2).contents().get(0));
    assertEquals(List.of(Net.NS_URI), List.copyOf(model.metamodels().keySet()));
    assertEquals(Hashes.sha256(output.resolve("model.json")), model.sha256());
    assertEquals(Hashes.sha256(net.folder.resolve("a.xmi")), model.files().get(0).sha256());
  }

  /** The folder can be moved, and importing again gives the same description. */
  @Test
  void theSameBytesAnywhere() throws Exception {
    String first = Files.readString(importThree());
    Path moved = Files.move(output, folder.resolve("moved"));
    List<String> text = ModelText.of(ModelSource.read(moved.resolve("model.json")).roots());
    assertEquals(first, Files.readString(importThree()));
    assertEquals(text, ModelText.of(ModelSource.read(output.resolve("model.json")).roots()));
  }

  /** Equal texts are one object, in both formats. */
  @Test
  void equalTextsAreShared() throws Exception {
    StringBuilder parts = new StringBuilder();
    for (int i = 0; i < 4; i++) {
      parts.append(NODE).append("name='same'/>");
    }
    Path file = net.write("m.xmi", Net.root(parts.toString()));
    ModelSource xmi = ModelSource.read(net.importTo(output, file));
    assertShared(xmi);
    var binary = new BinaryResourceImpl(ModelReader.address("m.bin"));
    binary.getContents().addAll(xmi.roots());
    Path bin = net.folder.resolve("m.bin");
    try (var out = Files.newOutputStream(bin)) {
      binary.save(out, null);
    }
    assertShared(ModelSource.read(net.importTo(folder.resolve("binary"), bin)));
  }

  private static void assertShared(ModelSource model) {
    ElementIndex index = new ElementIndex(model.roots());
    assertEquals(5, index.size());
    for (int i = 1; i < index.size(); i++) {
      assertEquals("same", name(index.element(i)));
      assertTrue(name(index.element(1)) == name(index.element(i)), "part " + i);
    }
  }

  @Test
  void filesThatChangedSince() throws Exception {
    Path description = importThree();
    Path file = output.resolve("a.xmi");
    byte[] before = Files.readAllBytes(file);
    Files.writeString(file, Net.root(""));
    assertTrue(refusal(description).contains(file + " is not the one that model.json describes"));
    Files.writeString(file, "neither a model");
    assertTrue(refusal(description).contains(file + " is not the one that model.json describes"));
    Files.delete(file);
    assertTrue(refusal(description).contains(file + " does not exist"));
    Files.write(file, before);
    Files.writeString(output.resolve("net.ecore"), Net.ecore(""));
    String sentence = refusal(description);
    assertTrue(sentence.startsWith("Metamodel " + output.resolve("net.ecore")), sentence);
    assertTrue(sentence.contains("is not the one that model.json describes"), sentence);
  }

  /** What is replaced in model.json, by what, and what is said then. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '"',
      value = {
        "modelstress-model; other-model; is not of format modelstress-model, version 1",
        "' : 1,'; ' : 2,'; is not of format modelstress-model, version 1",
        "'\"files\"'; '\"fills\"'; fills",
        "a.xmi; ../own/a.xmi; names a file outside its folder, '../own/a.xmi'",
        "a.xmi; /etc/hostname; names a file outside its folder",
        "a.xmi; x/../a.xmi; names a file outside its folder",
        "a.xmi; ''; names a file outside its folder",
        "a.xmi; net.ecore; names net.ecore twice",
        "'\"sha256\"'; '\"sha512\"'; sha512",
        "{; }; no description of a model"
      })
  void wrongDescriptions(String what, String by, String why) throws Exception {
    Path description = importThree();
    String text = Files.readString(description);
    String wrong = text.replace(plain(what), plain(by));
    assertFalse(text.equals(wrong));
    Files.writeString(description, wrong);
    assertTrue(refusal(description).contains(why), refusal(description));
    assertTrue(refusal(description).startsWith("Model " + description), refusal(description));
  }

  private static String plain(String quoted) {
    return quoted.startsWith("'") ? quoted.substring(1, quoted.length() - 1) : quoted;
  }

  @Test
  void descriptionsThatAreNone() throws Exception {
    Path description = folder.resolve("model.json");
    assertTrue(refusal(description).contains("does not exist"));
    for (String text : List.of("", "null", "[]", "{}", "{\"format\": 1}", "<x/>")) {
      Files.writeString(description, text);
      assertTrue(refusal(description).contains("make the model again"), text);
    }
    Files.write(description, new byte[] {'"', (byte) 0xff, '"'});
    assertTrue(refusal(description).contains("UTF-8"));
  }

  /** As when the process is ended while files are written: whatever the moment, nothing is left. */
  @Test
  void closedWhileFilesAreWritten() throws Exception {
    for (int round = 0; round < 20; round++) {
      ModelFolder model = new ModelFolder(output);
      AtomicReference<IOException> end = new AtomicReference<>();
      CountDownLatch begun = new CountDownLatch(3);
      Thread writer =
          new Thread(
              () -> {
                try {
                  for (int i = 0; ; i++) {
                    Files.writeString(model.place(i % 7 + "/" + i), "text");
                    begun.countDown();
                  }
                } catch (IOException e) {
                  end.set(e);
                }
              });
      writer.start();
      begun.await();
      model.close();
      writer.join();
      assertTrue(end.get() != null);
      try (Stream<Path> left = Files.list(folder)) {
        assertEquals(List.of(net.folder), left.toList());
      }
    }
  }

  @Test
  void finishedOnce() throws Exception {
    ModelFolder model = new ModelFolder(output);
    model.close();
    assertThrows(IOException.class, model::finish);
    assertFalse(Files.exists(output));
  }
}
