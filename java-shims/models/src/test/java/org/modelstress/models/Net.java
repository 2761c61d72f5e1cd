package org.modelstress.models;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A small metamodel and models of it as text, in a folder of their own. */
final class Net {
  static final String NS_URI = "http://example.org/net";

  /** Element (abstract, with a name) with Node and Link; Stranger, which no part can be. */
  static final String CLASSIFIERS =
      """
      <eClassifiers xsi:type="ecore:EClass" name="Element" abstract="true">
        <eStructuralFeatures xsi:type="ecore:EAttribute" name="name" lowerBound="1"
            eType="ecore:EDataType http://www.eclipse.org/emf/2002/Ecore#//EString"/>
      </eClassifiers>
      <eClassifiers xsi:type="ecore:EClass" name="Node" eSuperTypes="#//Element">
        <eStructuralFeatures xsi:type="ecore:EAttribute" name="weight"
            eType="ecore:EDataType http://www.eclipse.org/emf/2002/Ecore#//EInt"/>
        <eStructuralFeatures xsi:type="ecore:EAttribute" name="color" eType="#//Color"/>
        <eStructuralFeatures xsi:type="ecore:EReference" name="next" eType="#//Node"/>
        <eStructuralFeatures xsi:type="ecore:EReference" name="parts" upperBound="-1"
            eType="#//Element" containment="true"/>
      </eClassifiers>
      <eClassifiers xsi:type="ecore:EClass" name="Link" eSuperTypes="#//Element">
        <eStructuralFeatures xsi:type="ecore:EReference" name="to" lowerBound="1" eType="#//Node"/>
      </eClassifiers>
      <eClassifiers xsi:type="ecore:EClass" name="Stranger"/>
      <eClassifiers xsi:type="ecore:EEnum" name="Color">
        <eLiterals name="red"/>
        <eLiterals name="green" value="1"/>
      </eClassifiers>
      """;

  private static final String XML = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  private static final String XMI =
      " xmi:version=\"2.0\" xmlns:xmi=\"http://www.omg.org/XMI\""
          + " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";

  final Path folder;
  final Path metamodel;

  /** Writes the metamodel into a folder, which is made. */
  Net(Path folder) throws IOException {
    this.folder = folder;
    this.metamodel = write("net.ecore", ecore(CLASSIFIERS));
  }

  /** An Ecore file with these classifiers. */
  static String ecore(String classifiers) {
    return XML
        + "<ecore:EPackage"
        + XMI
        + " xmlns:ecore=\"http://www.eclipse.org/emf/2002/Ecore\" name=\"net\" nsURI=\""
        + NS_URI
        + "\" nsPrefix=\"net\">\n"
        + classifiers
        + "</ecore:EPackage>\n";
  }

  /** A node named root around a body. */
  static String root(String body) {
    return XML
        + "<net:Node"
        + XMI
        + " xmlns:net=\""
        + NS_URI
        + "\" name=\"root\">"
        + body
        + "</net:Node>\n";
  }

  Path write(String name, String text) throws IOException {
    return write(name, text, StandardCharsets.UTF_8);
  }

  Path write(String name, String text, Charset charset) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.write(file, text.getBytes(charset));
  }

  /** Imports files of this folder. */
  Path importTo(Path output, Path... files) throws ModelException {
    return ModelImport.run(List.of(metamodel), List.of(files), output);
  }
}
