package org.modelstress.models;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.eclipse.emf.common.util.URI;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EcoreFactory;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.emf.ecore.resource.Resource;
import org.eclipse.emf.ecore.resource.impl.BinaryResourceImpl;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Metamodels and models that would have EMF run Java classes of their choice. */
@Timeout(60)
class HostileMetamodelTest {
  private static final String ECORE = "http://www.eclipse.org/emf/2002/Ecore#//";

  @TempDir private Path folder;
  private Path victim;

  /** Its static initialiser leaves a trace. */
  public static final class Initialised {
    static {
      System.setProperty("modelstress.test.initialised", "true");
    }

    private Initialised() {}
  }

  @BeforeEach
  void writeVictim() throws Exception {
    System.clearProperty("modelstress.test.initialised");
    victim = Files.writeString(folder.resolve("victim.txt"), "precious");
  }

  private static String type(String attributes) {
    return "<eClassifiers xsi:type='ecore:EDataType' name='T' " + attributes + "/>";
  }

  private static String eClass(String type, String more) {
    return "<eClassifiers xsi:type='ecore:EClass' name='C'>"
        + "<eStructuralFeatures xsi:type='ecore:EAttribute' name='value' eType='"
        + type
        + "' "
        + more
        + "/></eClassifiers>";
  }

  private static String annotated(String key, String value) {
    return "<eClassifiers xsi:type='ecore:EDataType' name='T'"
        + " instanceClassName='java.lang.String'><eAnnotations"
        + " source='http:///org/eclipse/emf/ecore/util/ExtendedMetaData'><details key='"
        + key
        + "' value='"
        + value
        + "'/></eAnnotations></eClassifiers>";
  }

  static Stream<Arguments> hostile() {
    String javaClass = "http://www.eclipse.org/emf/2002/Ecore#EJavaClass";
    String named = eClass("#//T", "defaultValueLiteral='" + Initialised.class.getName() + "'");
    String own = eClass("#//T", "");
    String preset = eClass("#//T", "defaultValueLiteral='VICTIM'");
    String stream = type("instanceClassName='java.io.FileOutputStream'");
    return Stream.of(
        Arguments.of("class", stream + own),
        Arguments.of("default", stream + preset),
        Arguments.of("type name", type("instanceTypeName='java.io.FileOutputStream'") + own),
        Arguments.of(
            "type name with arguments",
            type("instanceTypeName='java.util.ArrayList&lt;A&gt;'") + own),
        Arguments.of("base type", annotated("baseType", javaClass) + named),
        Arguments.of("item type", annotated("itemType", javaClass) + named),
        Arguments.of("member types", annotated("memberTypes", javaClass) + named),
        Arguments.of("base type of itself", annotated("baseType", "T") + stream + own),
        Arguments.of("array", type("instanceTypeName='java.io.FileOutputStream[]'") + own),
        Arguments.of("JVM's array", type("instanceClassName='[Ljava.io.File;'") + own),
        Arguments.of("space", type("instanceClassName=' java.io.FileOutputStream'") + preset),
        Arguments.of("inner class", type("instanceClassName='java.util.Map$Entry'") + own),
        Arguments.of("writer", type("instanceClassName='java.io.FileWriter'") + own),
        Arguments.of("address", type("instanceClassName='java.net.URL'") + own),
        Arguments.of("subclass", type("instanceClassName='java.sql.Timestamp'") + own),
        Arguments.of(
            "initialiser", type("instanceClassName='" + Initialised.class.getName() + "'") + own),
        Arguments.of("Java class", eClass("ecore:EDataType " + ECORE + "EJavaClass", "")),
        Arguments.of(
            "enumeration",
            "<eClassifiers xsi:type='ecore:EEnum' name='T'"
                + " instanceClassName='java.io.FileOutputStream'><eLiterals name='VICTIM'/>"
                + "</eClassifiers>"
                + preset),
        Arguments.of(
            "nested",
            "<eSubpackages name='in' nsURI='http://example.org/in' nsPrefix='in'>"
                + stream
                + "</eSubpackages>"
                + eClass("#//in/T", "")),
        Arguments.of(
            "generic",
            stream
                + "<eClassifiers xsi:type='ecore:EClass' name='C'>"
                + "<eTypeParameters name='X'><eBounds eClassifier='ecore:EDataType "
                + ECORE
                + "EJavaClass'/></eTypeParameters>"
                + "<eStructuralFeatures xsi:type='ecore:EAttribute' name='value'>"
                + "<eGenericType eTypeParameter='#//C/X'/></eStructuralFeatures></eClassifiers>"),
        Arguments.of(
            "annotation",
            "<eAnnotations source='s'><contents xsi:type='ecore:EDataType' name='T'"
                + " instanceClassName='java.io.FileOutputStream'/></eAnnotations>"
                + eClass("#/0/s/T", "")),
        Arguments.of(
            "class of a class",
            "<eClassifiers xsi:type='ecore:EClass' name='C' instanceClass='"
                + Initialised.class.getName()
                + "'/>"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("hostile")
  void nothingIsMade(String name, String classifiers) throws Exception {
    Net net = new Net(folder);
    String text = Net.ecore(classifiers.replace("VICTIM", victim.toString()));
    Path metamodel = net.write("hostile.ecore", text);
    Path model =
        net.write(
            "model.xmi",
            "<?xml version='1.0'?><n:C xmi:version='2.0' xmlns:xmi='http://www.omg.org/XMI'"
                + " xmlns:n='"
                + Net.NS_URI
                + "' value='"
                + victim
                + "'/>");
    ModelException e =
        assertThrows(
            ModelException.class,
            () -> ModelImport.run(List.of(metamodel), List.of(model), folder.resolve("out")));
    assertTrue(e.getMessage().startsWith("Metamodel " + metamodel + " has "), e.getMessage());
    assertEquals("precious", Files.readString(victim));
    assertEquals(null, System.getProperty("modelstress.test.initialised"));
    assertFalse(Files.exists(folder.resolve("out")));
  }

  /** A binary file says which features it has, transient ones too. */
  @Test
  void aBinaryFileMakesNothingEither() throws Exception {
    EPackage ePackage = EcoreFactory.eINSTANCE.createEPackage();
    ePackage.setName("net");
    ePackage.setNsURI(Net.NS_URI);
    EClass eClass = EcoreFactory.eINSTANCE.createEClass();
    eClass.setName("C");
    var attribute = EcoreFactory.eINSTANCE.createEAttribute();
    attribute.setName("value");
    attribute.setEType(EcorePackage.Literals.EJAVA_CLASS);
    eClass.getEStructuralFeatures().add(attribute);
    ePackage.getEClassifiers().add(eClass);
    EObject element = EcoreUtil.create(eClass);
    element.eSet(attribute, String.class);
    Resource resource = new BinaryResourceImpl(URI.createFileURI(folder.resolve("m").toString()));
    resource.getContents().add(element);
    resource.save(null);
    EPackage.Registry registry = new org.eclipse.emf.ecore.impl.EPackageRegistryImpl();
    registry.put(Net.NS_URI, ePackage);
    ClosedResources resources = new ClosedResources("Model", registry, java.util.Set.of());
    ModelException e =
        assertThrows(
            ModelException.class,
            () -> resources.read(folder.resolve("m"), URI.createURI("m"), null));
    assertTrue(e.getMessage().contains("EJavaClass"), e.getMessage());
  }

  @Test
  void depthIsBoundedAndBreadthIsNot() throws Exception {
    Net net = new Net(folder);
    String open = "<parts xsi:type='net:Node' name='x'>";
    int deep = 200_000;
    Path tooDeep = net.write("deep.xmi", Net.root(open.repeat(deep) + "</parts>".repeat(deep)));
    Path broad = net.write("broad.xmi", Net.root((open + "</parts>").repeat(100_000)));
    ModelException e =
        assertThrows(
            ModelException.class,
            () ->
                ModelImport.run(List.of(net.metamodel), List.of(tooDeep), folder.resolve("deep")));
    assertTrue(e.getMessage().contains("nested more than"), e.getMessage());
    ModelImport.run(List.of(net.metamodel), List.of(broad), folder.resolve("broad"));
    Path packages =
        net.write(
            "packages.ecore",
            Net.ecore("<eSubpackages name='p'>".repeat(6_000) + "</eSubpackages>".repeat(6_000)));
    e =
        assertThrows(
            ModelException.class,
            () -> ModelImport.run(List.of(packages), List.of(broad), folder.resolve("packages")));
    assertTrue(e.getMessage().contains("nested more than"), e.getMessage());
  }
}
