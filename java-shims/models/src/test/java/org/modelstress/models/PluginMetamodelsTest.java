package org.modelstress.models;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What metamodels of Eclipse's plug-ins have, UML's above all, and which is right Ecore. */
class PluginMetamodelsTest {
  private static final String ECORE = "platform:/plugin/org.eclipse.emf.ecore/model/Ecore.ecore#//";

  @TempDir private Path folder;
  private Net net;

  @BeforeEach
  void writeMetamodel() throws Exception {
    net = new Net(folder);
  }

  private Path other(String classifiers) throws Exception {
    return net.write("other.ecore", Net.ecore(classifiers).replace("/net\"", "/other\""));
  }

  private Path model(String attributes) throws Exception {
    return net.write(
        "model.xmi",
        "<?xml version='1.0'?><o:C xmi:version='2.0' xmlns:xmi='http://www.omg.org/XMI'"
            + " xmlns:o='http://example.org/other' "
            + attributes
            + "/>");
  }

  private int imported(List<Path> metamodels, Path model) throws Exception {
    Path made = ModelImport.run(metamodels, List.of(model), folder.resolve("out"));
    return new ElementIndex(ModelSource.read(made).roots()).size();
  }

  private String refusal(List<Path> metamodels, Path model) {
    return assertThrows(ModelException.class, () -> imported(metamodels, model)).getMessage();
  }

  @Test
  void aLinkToAPluginMeansTheGivenFileOfThatName() throws Exception {
    Path other =
        other(
            "<eClassifiers xsi:type='ecore:EClass' name='C' eSuperTypes='platform:/plugin/a.b"
                + "/model/net.ecore#//Node'/>");
    Path model = model("name='a' weight='3'");
    assertTrue(refusal(List.of(other), model).contains("refers to another document, platform:"));
    Path twin = net.write("twin/net.ecore", Net.ecore("").replace("/net\"", "/twin\""));
    assertTrue(
        refusal(List.of(net.metamodel, twin, other), model).contains("refers to another document"));
    assertEquals(1, imported(List.of(net.metamodel, other), model));
  }

  @Test
  void anAnnotationMayHoldFeatures() throws Exception {
    Path other =
        other(
            "<eClassifiers xsi:type='ecore:EClass' name='C'><eAnnotations source='duplicates'>"
                + "<contents xsi:type='ecore:EReference' name='owner'/>"
                + "<contents xsi:type='ecore:EAttribute'/></eAnnotations></eClassifiers>");
    assertEquals(1, imported(List.of(other), model("")));
  }

  @Test
  void aClassMayExtendOneOfEcore() throws Exception {
    Path other =
        other(
            "<eClassifiers xsi:type='ecore:EClass' name='Base' abstract='true'"
                + " eSuperTypes='ecore:EClass "
                + ECORE
                + "EModelElement'/>"
                + "<eClassifiers xsi:type='ecore:EClass' name='C' eSuperTypes='#//Base'/>");
    assertEquals(1, imported(List.of(other), model("")));
  }

  @Test
  void onlyWhatIsStoredIsRequired() throws Exception {
    String feature =
        "<eClassifiers xsi:type='ecore:EClass' name='C'><eStructuralFeatures"
            + " xsi:type='ecore:EAttribute' name='a' lowerBound='1' %s='true' eType="
            + "'ecore:EDataType http://www.eclipse.org/emf/2002/Ecore#//EString'/></eClassifiers>";
    Path stored = other(String.format(feature, "unsettable"));
    assertTrue(refusal(List.of(stored), model("")).contains("does not conform"));
    for (String kind : List.of("derived", "transient", "volatile")) {
      Path other = other(String.format(feature, kind));
      Path made = folder.resolve(kind);
      ModelImport.run(List.of(other), List.of(model("")), made);
    }
  }
}
