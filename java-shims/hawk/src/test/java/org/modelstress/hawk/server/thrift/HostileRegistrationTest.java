package org.modelstress.hawk.server.thrift;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.thrift.TApplicationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.modelstress.hawk.api.DerivedAttributeSpec;
import org.modelstress.hawk.api.File;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.InvalidMetamodel;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.graph.neo4j.Neo4jBackend;
import org.modelstress.hawk.index.TrainFixture;
import org.modelstress.thrift.client.ApiClient;

/** Metamodels that clients register and that would make the server do something. */
@Timeout(120)
class HostileRegistrationTest {
  private static final String ECORE = "http://www.eclipse.org/emf/2002/Ecore#//";

  @TempDir private Path folder;

  private static String metamodel(String classifiers) {
    return "<?xml version='1.0'?><ecore:EPackage xmi:version='2.0'"
        + " xmlns:xmi='http://www.omg.org/XMI'"
        + " xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'"
        + " xmlns:ecore='http://www.eclipse.org/emf/2002/Ecore' name='bad' nsURI='urn:bad'"
        + " nsPrefix='bad'>"
        + classifiers
        + "</ecore:EPackage>";
  }

  private static String attribute(String type, String value) {
    return "<eClassifiers xsi:type='ecore:EClass' name='C'><eStructuralFeatures"
        + " xsi:type='ecore:EAttribute' name='a' eType='"
        + type
        + "' defaultValueLiteral='"
        + value
        + "'/></eClassifiers>";
  }

  private static List<Backend> backends() {
    return Served.backends();
  }

  /** So many classes, each of which extends the one before and has a feature. */
  private static String chain(int classes) {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < classes; i++) {
      all.append("<eClassifiers xsi:type='ecore:EClass' name='C").append(i).append('\'');
      all.append(i == 0 ? "" : " eSuperTypes='#//C" + (i - 1) + "'").append('>');
      all.append("<eStructuralFeatures xsi:type='ecore:EAttribute' name='f").append(i);
      all.append("' eType='ecore:EDataType ").append(ECORE).append("EInt'/></eClassifiers>");
    }
    return all.toString();
  }

  @ParameterizedTest
  @MethodSource("backends")
  void areRefusedAndDoNothing(Backend backend) throws Exception {
    Path victim = Files.writeString(folder.resolve("victim.txt"), "precious");
    Path created = folder.resolve("created");
    String stream = "<eClassifiers xsi:type='ecore:EDataType' name='T' %s='%s'/>";
    List<String> hostile =
        List.of(
            String.format(stream, "instanceClassName", "java.io.FileOutputStream")
                + attribute("#//T", victim.toString()),
            String.format(stream, "instanceTypeName", "java.io.FileOutputStream")
                + attribute("#//T", created.toString()),
            String.format(stream, "instanceTypeName", "java.util.List&lt;java.io.File&gt;")
                + attribute("#//T", created.toString()),
            String.format(stream, "instanceTypeName", "[Ljava.io.File;")
                + attribute("#//T", created.toString()),
            String.format(stream, "instanceClassName", " java.io.FileOutputStream")
                + attribute("#//T", created.toString()),
            "<eClassifiers xsi:type='ecore:EEnum' name='T'"
                + " instanceClassName='java.io.FileOutputStream'/>"
                + attribute("#//T", created.toString()),
            "<eSubpackages name='inner' nsURI='urn:inner' nsPrefix='i'>"
                + String.format(stream, "instanceClassName", "java.io.FileOutputStream")
                + attribute("#//inner/T", created.toString())
                + "</eSubpackages>",
            chain(5_000),
            String.format(stream, "instanceClassName", "java.net.URL")
                + attribute("#//T", "http://localhost/"),
            attribute("ecore:EDataType " + ECORE + "EJavaClass", "java.lang.String"),
            "<eClassifiers xsi:type='ecore:EClass' name='A' eSuperTypes='#//B'/>"
                + "<eClassifiers xsi:type='ecore:EClass' name='B' eSuperTypes='#//A'/>",
            "<eSubpackages name='p'>".repeat(6_000) + "</eSubpackages>".repeat(6_000));
    try (Served served = Served.start(backend, folder.resolve("hawk"), Map.of());
        ApiClient client = served.client()) {
      List<String> before = client.listMetamodels(Served.INSTANCE);
      for (String each : hostile) {
        byte[] text = metamodel(each).getBytes(StandardCharsets.UTF_8);
        File file = new File("bad.ecore", ByteBuffer.wrap(text));
        InvalidMetamodel e =
            assertThrows(
                InvalidMetamodel.class,
                () -> client.registerMetamodels(Served.INSTANCE, List.of(file)));
        assertTrue(e.getReason().contains(" has "), e.getReason());
        assertFalse(e.getReason().contains("null"), e.getReason());
      }
      assertEquals("precious", Files.readString(victim));
      assertFalse(Files.exists(created));
      assertEquals(before, client.listMetamodels(Served.INSTANCE));
    }
  }

  /** What clients register stays in memory. */
  @Test
  void togetherAreBounded() throws Exception {
    try (Served served = Served.start(new Neo4jBackend(), folder.resolve("hawk"), Map.of());
        ApiClient client = served.client()) {
      String note = "<eAnnotations source='" + "x".repeat(5 << 20) + "'/>";
      byte[] text = metamodel(note).getBytes(StandardCharsets.UTF_8);
      File file = new File("bad.ecore", ByteBuffer.wrap(text));
      InvalidMetamodel e =
          assertThrows(
              InvalidMetamodel.class,
              () -> client.registerMetamodels(Served.INSTANCE, List.of(file)));
      assertTrue(e.getReason().contains("has at most"), e.getReason());
    }
  }

  /** Otherwise no query would be answered any more. */
  @Test
  void anEndlessDerivedAttributeEndsInTime() throws Exception {
    Map<String, Object> options = Map.of("query_timeout_s", 1);
    try (Served served = Served.start(new Neo4jBackend(), folder.resolve("hawk"), options);
        ApiClient client = served.client()) {
      DerivedAttributeSpec endless =
          new DerivedAttributeSpec(TrainFixture.NS_URI, "Segment", "endless")
              .setAttributeType("Integer")
              .setDerivationLanguage("EOL")
              .setDerivationLogic("while (true) {}");
      TApplicationException e =
          assertThrows(
              TApplicationException.class,
              () -> client.addDerivedAttribute(Served.INSTANCE, endless));
      assertTrue(e.getMessage().contains("query_timeout_s"), e.getMessage());
      client.query(
          Served.INSTANCE, "return Segment.all.size();", Served.EOL, new HawkQueryOptions());
    }
  }
}
