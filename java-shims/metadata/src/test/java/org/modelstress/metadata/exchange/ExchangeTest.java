package org.modelstress.metadata.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.metadata.Backends;
import org.modelstress.metadata.objects.Discovery;
import org.modelstress.metadata.objects.Limits;
import org.modelstress.metadata.objects.Link;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataException.Reason;
import org.modelstress.metadata.service.MetadataService;

class ExchangeTest {
  private static final String BEGIN = "<metadata xmlns=\"" + Exchange.NAMESPACE + "\">\n";
  private static final String SENSOR =
      """
      <type name="sensor">
        <attribute name="station" type="text" indexed="true"/>
        <attribute name="gain" type="decimal" default="1.0"/>
        <attribute name="since" type="time" default="2003-06-03T00:00:00Z"/>
      </type>
      """;

  @TempDir private static Path folder;
  private static Backends backends;
  private static MetadataService service;

  @BeforeAll
  static void open() throws Exception {
    backends = new Backends(folder);
    service = backends.service("h2", "rows", "transactions", "types");
    read(BEGIN + SENSOR + "</metadata>");
  }

  @AfterAll
  static void close() throws Exception {
    backends.close();
  }

  private static Exchange.Read read(String text) throws MetadataException {
    return new Exchange(service)
        .read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static String object(String key, String station) {
    return "<object type=\"sensor\" key=\""
        + key
        + "\"><value name=\"station\">"
        + station
        + "</value></object>\n";
  }

  private static List<Long> found(String station) throws MetadataException {
    return service.discover(Discovery.value("sensor", "station", station, 10_000));
  }

  private static String refused(Reason reason, String text) {
    MetadataException e = assertThrows(MetadataException.class, () -> read(text));
    assertEquals(reason, e.reason(), e.getMessage());
    return e.getMessage();
  }

  @Test
  void typesObjectsAndLinksAreRead() throws MetadataException {
    StringBuilder text = new StringBuilder("<?xml version=\"1.0\"?>\n<!-- sensors -->\n");
    text.append(BEGIN).append(SENSOR);
    IntStream.range(0, 2_500).forEach(i -> text.append(object("k" + i, "many &lt;&amp;'--")));
    text.append("<link source=\"k0\" name=\"beside\" target=\"k2499\"/>\n</metadata>\n");
    assertEquals(new Exchange.Read(1, 2_500, 1), read(text.toString()));
    List<Long> ids = found("many <&'--");
    assertEquals(2_500, ids.size());
    assertEquals(
        List.of(new Link(ids.get(0), "beside", ids.get(2_499))),
        service.links(ids.get(0), false, null, 10));
    assertEquals(1.0, service.get(ids.get(7)).value("gain"));
  }

  @Test
  void aMistakeIsToldWithItsPlaceAndWhatWasBeforeItsBatchStays() throws MetadataException {
    StringBuilder text = new StringBuilder(BEGIN);
    IntStream.range(0, 1_500).forEach(i -> text.append(object("k" + i, "partly")));
    text.append("<object type=\"sensor\"><value name=\"gain\">much</value></object>\n</metadata>");
    String message = refused(Reason.INVALID, text.toString());
    assertTrue(message.startsWith("line 1502, column "), message);
    assertTrue(message.contains("'much' is no decimal"), message);
    assertEquals(1_000, found("partly").size());
  }

  @Test
  void wrongFilesAreRefused() {
    assertTrue(refused(Reason.INVALID, "no XML").contains("no XML that is understood"));
    assertTrue(refused(Reason.INVALID, "<metadata/>").contains("metadata of urn:"));
    assertTrue(refused(Reason.INVALID, BEGIN + object("a", "x")).contains("XML"));
    assertTrue(
        refused(Reason.INVALID, BEGIN + object("a", "x") + object("a", "y") + "</metadata>")
            .contains("key 'a' is there twice"));
    assertTrue(
        refused(Reason.NOT_FOUND, BEGIN + "<object type=\"unknown\"/></metadata>")
            .contains("no type 'unknown'"));
    assertTrue(
        refused(
                Reason.INVALID,
                BEGIN + "<object type=\"sensor\"><value name=\"x\">1</value></object></metadata>")
            .contains("no attribute 'x'"));
    assertTrue(
        refused(Reason.INVALID, BEGIN + "<link source=\"a\" name=\"b\" target=\"c\"/></metadata>")
            .contains("no object with key 'a'"));
    assertTrue(
        refused(Reason.INVALID, BEGIN + "<thing/></metadata>").contains("'thing' cannot be here"));
    assertTrue(refused(Reason.INVALID, BEGIN + "text</metadata>").contains("text between"));
  }

  @Test
  void definitionsOfDocumentsAndEntitiesAreNotRead() throws MetadataException {
    String bomb =
        "<!DOCTYPE m [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>\n";
    assertTrue(
        refused(Reason.INVALID, bomb + BEGIN + object("k", "&b;") + "</metadata>")
            .contains("DOCTYPE"));
    String external = "<!DOCTYPE m SYSTEM \"file:///etc/passwd\">\n";
    assertTrue(refused(Reason.INVALID, external + BEGIN + "</metadata>").contains("DOCTYPE"));
    assertEquals(List.of(), found("root"));
  }

  @Test
  void hugePartsAreRefusedBeforeTheyAreRead() {
    byte[] mega = "x".repeat(1 << 20).getBytes(StandardCharsets.UTF_8);
    String head = BEGIN + "<object type=\"sensor\"><value name=\"station\">";
    String tag = BEGIN + "<object type=\"";
    for (String before : List.of(head, tag, BEGIN + "<!--")) {
      InputStream hundred =
          new SequenceInputStream(
              Collections.enumeration(
                  IntStream.range(0, 101)
                      .mapToObj(
                          i ->
                              (InputStream)
                                  new ByteArrayInputStream(
                                      i == 0 ? before.getBytes(StandardCharsets.UTF_8) : mega))
                      .toList()));
      MetadataException e =
          assertThrows(MetadataException.class, () -> new Exchange(service).read(hundred));
      assertEquals(Reason.INVALID, e.reason());
      assertTrue(
          e.getMessage().contains("more than " + Limits.TEXT) || e.getMessage().contains("longer"),
          e.getMessage());
    }
  }
}
