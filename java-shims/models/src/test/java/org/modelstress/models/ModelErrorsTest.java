package org.modelstress.models;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.eclipse.emf.common.util.URI;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.InternalEObject;
import org.eclipse.emf.ecore.resource.Resource;
import org.eclipse.emf.ecore.resource.impl.BinaryResourceImpl;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Somebody's models that are wrong: one sentence that says where, and nothing imported. */
class ModelErrorsTest {
  private static final String NODE = "<parts xsi:type='net:Node' ";

  @TempDir private Path folder;
  private Net net;

  @BeforeEach
  void writeMetamodel() throws Exception {
    net = new Net(folder.resolve("own"));
  }

  /** The sentence with which files are refused, after which nothing is left. */
  private String refusal(Path... files) throws IOException {
    String sentence =
        assertThrows(ModelException.class, () -> net.importTo(folder.resolve("model"), files))
            .getMessage();
    assertTrue(sentence.endsWith("."), sentence);
    assertFalse(sentence.contains("\n"), sentence);
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(List.of(net.folder), left.toList());
    }
    return sentence;
  }

  private String refusalOf(String body) throws IOException {
    Path file = net.write("m.xmi", Net.root(body));
    String sentence = refusal(file);
    assertTrue(sentence.startsWith("Model " + file + " "), sentence);
    return sentence;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '"',
      value = {
        "<parts xsi:type='net:Nope'/>; an element of class 'Nope', which is abstract or not in its metamodel (line 2, column",
        "<parts xsi:type='net:Element' name='a'/>; an element of class 'Element', which is abstract",
        "<parts name='a'/>; an element of class 'Element', which is abstract",
        "<parts xsi:type='net:Stranger'/>; has a Stranger in Node.parts, whose type is Element.",
        "<parts xsi:type='net:Node'/>; in 1 place: The required feature 'name' of 'Node @parts.0' must be set.",
        "<parts xsi:type='net:Link' name='a'/>; The required feature 'to' of 'Link @parts.0' must be set",
        "<parts xsi:type='net:Node' name='a' color='blue'/>; has 'blue' in Node.color, whose type is Color (line 2",
        "<parts xsi:type='net:Node' name='a' weight='many'/>; has 'many' in Node.weight, whose type is EInt (line 2",
        "<parts xsi:type='net:Node' name='a' height='1'/>; has a feature 'height' in a Node, which has none of that name",
        "<stations/>; has a feature 'stations' in a Node",
        "<parts xsi:type='net:Node' name='a' next='//@parts.7'/>; has a link to '//@parts.7', which is not in it",
        "<parts xsi:type='net:Link' name='a' to='//@parts.0'/>; has a Link in Link.to, whose type is Node"
      })
  void nonConformingElements(String body, String what) throws Exception {
    assertTrue(refusalOf(body).contains(what), refusalOf(body));
  }

  @Test
  void onlyTheFirstProblemsAreShown() throws Exception {
    String sentence = refusalOf("<parts xsi:type='net:Node'/>".repeat(1000));
    assertTrue(sentence.contains("in 1000 places: "), sentence);
    assertTrue(sentence.contains("@parts.2"), sentence);
    assertFalse(sentence.contains("@parts.3"), sentence);
  }

  /** To a file that is not there, outside, absolute, elsewhere in the net. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "none.xmi#/",
        "../secret.xmi#/",
        "file:///etc/hostname#/",
        "http://127.0.0.1:9/m.xmi#/"
      })
  void linksToWhatIsNoPart(String link) throws Exception {
    Files.writeString(net.folder.resolve("secret.xmi"), Net.root(""));
    String sentence = refusalOf(NODE + "name='a'><next href='" + link + "'/></parts>");
    assertTrue(sentence.contains("refers to another document, " + link), sentence);
    String contained = refusalOf(NODE + "href='" + link + "'/>");
    assertTrue(contained.contains("refers to another document, " + link), contained);
  }

  @Test
  void linksToElementsThatAreNotThere() throws Exception {
    Path other = net.write("other.xmi", Net.root(""));
    for (String link :
        List.of("<next href='other.xmi#//@parts.9'/>", NODE + "href='other.xmi#//@parts.9'/>")) {
      Path file = net.write("m.xmi", Net.root(link));
      String sentence = refusal(file, other);
      assertTrue(sentence.startsWith("Model " + file + " has a link in Node."), sentence);
      assertTrue(sentence.contains("to other.xmi#//@parts.9, which is not in the model"), sentence);
    }
  }

  @Test
  void containmentThatIsACycle() throws Exception {
    String inside = refusalOf(NODE + "name='a'>" + NODE + "href='#/'/></parts>");
    assertTrue(inside.contains("contain each other"), inside);
    Path first = net.write("a.xmi", Net.root(NODE + "href='b.xmi#/'/>"));
    Path second = net.write("b.xmi", Net.root(NODE + "href='a.xmi#/'/>"));
    String across = refusal(first, second);
    assertTrue(across.contains("contain each other"), across);
    Path own = net.write("c.xmi", Net.root(NODE + "href='c.xmi#/'/>"));
    assertTrue(refusal(own).contains("contain each other"), refusal(own));
  }

  @Test
  void elementsThatAreContainedTwice() throws Exception {
    String inside =
        refusalOf(
            NODE
                + "name='a'>"
                + NODE
                + "name='b'/></parts>"
                + NODE
                + "href='#//@parts.0/@parts.0'/>");
    assertTrue(inside.contains("Node.parts a Node that is contained elsewhere too"), inside);
    Path part = net.write("c.xmi", Net.root(""));
    Path first = net.write("a.xmi", Net.root(NODE + "href='c.xmi#/'/>"));
    Path second = net.write("b.xmi", Net.root(NODE + "href='c.xmi#/'/>"));
    String across = refusal(first, second, part);
    assertTrue(across.contains("contained elsewhere too"), across);
  }

  @Test
  void nonConformingRoot() throws Exception {
    Path file = net.write("m.xmi", Net.root("").replace("name=\"root\"", ""));
    String sentence = refusal(file);
    assertTrue(
        sentence.contains("in 1 place: The required feature 'name' of 'Node' must"), sentence);
  }

  /** In one file; another file may have the same. */
  @Test
  void identifiersThatAreTaken() throws Exception {
    String ids = Net.CLASSIFIERS.replace("lowerBound=\"1\"\n", "lowerBound=\"1\" iD=\"true\"\n");
    net.write("net.ecore", Net.ecore(ids));
    Path file = net.write("m.xmi", Net.root(NODE + "name='a'/>" + NODE + "name='b'/>"));
    Path other = net.write("n.xmi", Net.root(NODE + "name='a'/>"));
    assertEquals(
        2, ModelSource.read(net.importTo(net.folder.resolve("model"), file, other)).roots().size());
    net.write("m.xmi", Net.root(NODE + "name='a'/>" + NODE + "name='a'/>"));
    String sentence = refusal(other, file);
    assertTrue(sentence.startsWith("Model " + file), sentence);
    assertTrue(sentence.contains("'a'"), sentence);
    assertTrue(sentence.contains("Node @parts.1"), sentence);
  }

  /** The file that an element is in is the one that is named. */
  @Test
  void nonConformingElementInAPart() throws Exception {
    Path whole = net.write("a.xmi", Net.root(NODE + "href='b.xmi#/'/>"));
    Path part = net.write("b.xmi", Net.root(NODE + "name='b'/>" + NODE + "/>"));
    String sentence = refusal(whole, part);
    assertTrue(sentence.startsWith("Model " + part + " does not conform"), sentence);
    assertTrue(sentence.contains("in 1 place: "), sentence);
    assertTrue(sentence.contains("'Node @parts.1'"), sentence);
  }

  @Test
  void documentTypes() throws Exception {
    Path secret = net.write("secret.txt", "7");
    String doctype = "<!DOCTYPE r [<!ENTITY e SYSTEM \"" + secret.toUri() + "\">]>";
    String text = Net.root(NODE + "name='&e;'/>");
    Path file = net.write("m.xmi", text.replace("<net:Node", doctype + "<net:Node"));
    assertTrue(refusal(file).contains("has a DOCTYPE, which is never read; remove it"));
  }

  @Test
  void filesThatAreNoModel() throws Exception {
    assertTrue(refusal(net.write("m.xmi", "")).contains("it is empty"));
    assertTrue(refusal(net.write("m.xmi", "name: value")).contains("truncated or damaged"));
    String half = Net.root(NODE + "name='a'/>").substring(0, 200);
    assertTrue(refusal(net.write("m.xmi", half)).contains("truncated or damaged"));
    assertTrue(refusal(folder.resolve("none.xmi")).contains("does not exist"));
    assertTrue(refusal(net.folder.getParent()).contains("not a file"));
    String other = refusal(net.write("m.xmi", Net.root("").replace("example.org", "example.com")));
    assertTrue(other.contains("unknown metamodel, http://example.com/net"), other);
    assertTrue(other.contains("known is " + Net.NS_URI), other);
    String none = "<xmi:XMI xmi:version='2.0' xmlns:xmi='http://www.omg.org/XMI'/>";
    assertTrue(refusal(net.write("m.xmi", none)).contains("no root element"));
  }

  @Test
  void filesThatAreNamedTwice() throws Exception {
    Path file = net.write("m.xmi", Net.root(""));
    assertTrue(refusal(file, file).contains("is named twice"));
    assertTrue(refusal(net.metamodel).contains("is named twice"));
    Path taken = net.write("model.json", Net.root(""));
    assertTrue(refusal(taken).contains("give it another"));
  }

  /** An encoding other than the declared one is an error, a declared one is read. */
  @ParameterizedTest
  @ValueSource(strings = {"UTF-8", "ISO-8859-1", "UTF-16", "windows-1252"})
  void declaredEncodings(String encoding) throws Exception {
    String text = Net.root(NODE + "name='Zürich'/>").replace("UTF-8", encoding);
    Path file = net.write("m.xmi", text, Charset.forName(encoding));
    ModelSource read = ModelSource.read(net.importTo(folder.resolve("model"), file));
    EObject part = new ElementIndex(read.roots()).element(1);
    assertEquals("Zürich", part.eGet(part.eClass().getEStructuralFeature("name")));
  }

  @Test
  void undeclaredEncoding() throws Exception {
    String text = Net.root(NODE + "name='Zürich'/>");
    Path file = net.write("m.xmi", text, StandardCharsets.ISO_8859_1);
    assertTrue(refusal(file).contains("truncated or damaged"), refusal(file));
  }

  private static EObject node(EPackage metamodel, String name) {
    EObject node =
        metamodel.getEFactoryInstance().create((EClass) metamodel.getEClassifier("Node"));
    node.eSet(node.eClass().getEStructuralFeature("name"), name);
    return node;
  }

  private Path binary(EObject root) throws IOException {
    Resource resource = new BinaryResourceImpl(ModelReader.address("m.bin"));
    resource.getContents().add(root);
    Path file = net.folder.resolve("m.bin");
    try (var out = Files.newOutputStream(file)) {
      resource.save(out, null);
    }
    return file;
  }

  /** The binary format has no hook for links, so they are looked at afterwards. */
  @ParameterizedTest
  @ValueSource(strings = {"none.bin#/", "../secret.bin#/", "m.bin#//@parts.7"})
  void brokenLinksInBinary(String link) throws Exception {
    EPackage metamodel = Metamodels.read(net.metamodel).getEPackage(Net.NS_URI);
    EObject root = node(metamodel, "root");
    EObject proxy = node(metamodel, null);
    ((InternalEObject) proxy).eSetProxyURI(URI.createURI(link).resolve(ModelReader.BASE));
    root.eSet(root.eClass().getEStructuralFeature("next"), proxy);
    String sentence = refusal(binary(root));
    assertTrue(sentence.contains("a link in Node.next to " + link), sentence);
  }

  @Test
  void binaryOfAnotherVersionOfTheMetamodel() throws Exception {
    String more = "<eClassifiers xsi:type='ecore:EClass' name='Later' eSuperTypes='#//Node'/>";
    Path later = net.write("later.ecore", Net.ecore(Net.CLASSIFIERS + more));
    EPackage metamodel = Metamodels.read(later).getEPackage(Net.NS_URI);
    EObject root =
        metamodel.getEFactoryInstance().create((EClass) metamodel.getEClassifier("Later"));
    String sentence = refusal(binary(root));
    assertTrue(sentence.contains("damaged or of another version of its metamodel"), sentence);
  }
}
