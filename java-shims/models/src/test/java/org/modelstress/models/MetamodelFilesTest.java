package org.modelstress.models;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EPackage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ecore files: what is read, and what is refused and why. */
class MetamodelFilesTest {
  @TempDir private Path folder;
  private Net net;

  @BeforeEach
  void writeMetamodel() throws Exception {
    net = new Net(folder);
  }

  private EPackage.Registry read(Path... files) throws ModelException {
    Map<String, Path> paths = new LinkedHashMap<>();
    for (Path file : files) {
      paths.put(folder.relativize(file).toString(), file);
    }
    return MetamodelFiles.read(paths, Map.of());
  }

  private String refusal(Path... files) {
    String sentence = assertThrows(ModelException.class, () -> read(files)).getMessage();
    assertTrue(sentence.startsWith("Metamodel " + files[files.length - 1] + " "), sentence);
    assertTrue(sentence.endsWith("."), sentence);
    assertFalse(sentence.contains("\n"), sentence);
    return sentence;
  }

  private static String classWith(String feature) {
    return "<eClassifiers xsi:type='ecore:EClass' name='C'>" + feature + "</eClassifiers>";
  }

  private static String reference(String type) {
    return "<eStructuralFeatures xsi:type='ecore:EReference' name='r' eType='" + type + "'/>";
  }

  /** Without names of hosts or folders: links are fragments of nsURIs. */
  @Test
  void packagesHaveTheirNsUriAsAddress() throws Exception {
    EPackage read = read(net.metamodel).getEPackage(Net.NS_URI);
    assertEquals(Net.NS_URI, read.eResource().getURI().toString());
    assertEquals(5, read.getEClassifiers().size());
  }

  @Test
  void filesReferToOneAnother() throws Exception {
    String type = "ecore:EClass net.ecore#//Node";
    Path other =
        net.write("other.ecore", Net.ecore(classWith(reference(type))).replace("/net\"", "/o\""));
    EPackage.Registry both = read(net.metamodel, other);
    assertEquals(Set.of(Net.NS_URI, "http://example.org/o"), both.keySet());
    EClass c = (EClass) both.getEPackage("http://example.org/o").getEClassifier("C");
    assertEquals(
        both.getEPackage(Net.NS_URI).getEClassifier("Node"),
        c.getEStructuralFeature("r").getEType());
    assertTrue(refusal(other).contains("refers to another document, net.ecore#//Node"));
  }

  @Test
  void nestedPackagesAreFound() throws Exception {
    String nested = "<eSubpackages name='in' nsURI='http://example.org/in' nsPrefix='in'/>";
    Path file = net.write("nested.ecore", Net.ecore(nested));
    assertEquals(Set.of(Net.NS_URI, "http://example.org/in"), read(file).keySet());
    Path twice = net.write("twice.ecore", Net.ecore(nested + nested));
    assertTrue(refusal(twice).contains("nsURI is taken, http://example.org/in"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '"',
      value = {
        "#//None; has a link to '//None', which is not in it (line 3",
        "ecore:EClass http://example.org/none#//N; refers to another document, http://example.org/none#//N",
        "ecore:EClass none.ecore#//N; refers to another document, none.ecore#//N",
        "ecore:EClass ../none.ecore#//N; refers to another document, ../none.ecore#//N",
        "ecore:EClass http://www.eclipse.org/emf/2002/Ecore#//ENone; unknown type, C.r"
      })
  void unresolvedTypes(String type, String what) throws Exception {
    Path file = net.write("m.ecore", Net.ecore(classWith(reference(type))));
    assertTrue(refusal(file).contains(what), refusal(file));
  }

  @Test
  void unresolvedSupertypes() throws Exception {
    String unknown = "ecore:EClass http://www.eclipse.org/emf/2002/Ecore#//ENone";
    String text = "<eClassifiers xsi:type='ecore:EClass' name='C' eSuperTypes='" + unknown + "'/>";
    Path file = net.write("m.ecore", Net.ecore(text));
    assertTrue(refusal(file).contains("unknown supertype, C"), refusal(file));
    String a = "<eClassifiers xsi:type='ecore:EClass' name='A' eSuperTypes='#//B'/>";
    String b = "<eClassifiers xsi:type='ecore:EClass' name='B' eSuperTypes='#//A'/>";
    Path circle = net.write("m.ecore", Net.ecore(a + b));
    assertTrue(refusal(circle).contains("its own supertype, A"), refusal(circle));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '"',
      value = {
        "<eClassifiers xsi:type='ecore:EClass'/>; a class or data type without name",
        "<eClassifiers xsi:type='ecore:EClass' name='C'><eStructuralFeatures xsi:type='ecore:EAttribute'/></eClassifiers>; feature without name in C",
        "<eClassifiers xsi:type='ecore:EClass' name='C'><eStructuralFeatures xsi:type='ecore:EAttribute' name='a'/></eClassifiers>; unknown type, C.a",
        "<eClassifiers xsi:type='ecore:EPackage' name='C'/>; has a EPackage in EPackage.eClassifiers",
        "<eClassifiers xsi:type='ecore:EClass' name='C' abstract='perhaps'/>; has 'perhaps' in EClass.abstract",
        "<eClassifiers name='C'/>; an element of class 'EClassifier', which is abstract"
      })
  void incompleteMetamodels(String classifiers, String what) throws Exception {
    Path file = net.write("m.ecore", Net.ecore(classifiers));
    assertTrue(refusal(file).contains(what), refusal(file));
  }

  @Test
  void packagesWithoutNsUri() throws Exception {
    String whole = Net.ecore("");
    String nsUri = "nsURI=\"" + Net.NS_URI + "\"";
    for (String wrong :
        new String[] {
          whole.replace(nsUri, ""),
          whole.replace(nsUri, "nsURI=' '"),
          whole.replace("name=\"net\"", "")
        }) {
      assertTrue(refusal(net.write("m.ecore", wrong)).contains("without name or nsURI"), wrong);
    }
    Path taken =
        net.write("m.ecore", whole.replace(Net.NS_URI, "http://www.eclipse.org/emf/2002/Ecore"));
    assertTrue(refusal(taken).contains("is Ecore itself, which is built in"), refusal(taken));
    Path copy = net.write("copy.ecore", whole);
    assertTrue(refusal(net.metamodel, copy).contains("nsURI is taken, " + Net.NS_URI));
  }

  @Test
  void filesThatAreNoEcore() throws Exception {
    assertTrue(refusal(net.write("m.ecore", "")).contains("it is empty"));
    assertTrue(refusal(net.write("m.ecore", "class C {}")).contains("truncated or damaged"));
    Path model = net.write("m.ecore", Net.root(""));
    assertTrue(refusal(model).contains("unknown metamodel, " + Net.NS_URI), refusal(model));
    String one =
        Net.ecore("").replace("ecore:EPackage", "ecore:EClass").replaceAll("ns\\w+=\"[^\"]*\"", "");
    assertTrue(refusal(net.write("m.ecore", one)).contains("has a EClass where an EPackage"));
    assertTrue(refusal(folder.resolve("none.ecore")).contains("does not exist"));
  }

  @Test
  void documentTypes() throws Exception {
    String doctype = "<!DOCTYPE r [<!ENTITY e SYSTEM 'file:///etc/hostname'>]>";
    String text =
        Net.ecore(classWith("")).replace("<ecore:", doctype + "<ecore:").replace("'C'", "'&e;'");
    assertTrue(refusal(net.write("m.ecore", text)).contains("has a DOCTYPE"));
  }
}
