package org.modelstress.metadata.exchange;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import org.modelstress.metadata.objects.Attribute;
import org.modelstress.metadata.objects.Limits;
import org.modelstress.metadata.objects.Link;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.ObjectType;
import org.modelstress.metadata.objects.TypeDefinition;
import org.modelstress.metadata.objects.ValueType;
import org.modelstress.metadata.service.MetadataService;

/**
 * Reads files with definitions of types, objects and links, and makes calls of the service of them
 * as they come (the report's NEESML, whose format was never published, worked so; this one is
 * ours).
 *
 * <pre>{@code
 * <metadata xmlns="urn:modelstress:metadata:1">
 *   <type name="sensor">
 *     <attribute name="station" type="text" indexed="true"/>
 *     <attribute name="gain" type="decimal" default="1.0"/>
 *   </type>
 *   <object type="sensor" key="s1"><value name="station">north</value></object>
 *   <object type="sensor" key="s2"><value name="station">south</value></object>
 *   <link source="s1" name="beside" target="s2"/>
 * </metadata>
 * }</pre>
 *
 * <p>Objects are created in batches, each of which happens or not; where a file is wrong, what was
 * before the batch with the mistake stays, and the message says where it is.
 */
public final class Exchange {
  /** Namespace of all elements. */
  public static final String NAMESPACE = "urn:modelstress:metadata:1";

  private static final int AT_ONCE = 1_000;
  private static final int KEYS = 10_000_000;

  private final MetadataService service;
  private final Map<String, Long> keys = new HashMap<>();
  private final Map<String, ObjectType> types = new HashMap<>();
  private final List<Map<String, Object>> waiting = new ArrayList<>();
  private final List<String> waitingKeys = new ArrayList<>();
  private final Set<String> newKeys = new HashSet<>();
  private String waitingType;
  private long waitingText;
  private long readTypes;
  private long readObjects;
  private long readLinks;

  /** What a file had. */
  public record Read(long types, long objects, long links) {}

  /** A reader for one file. */
  public Exchange(MetadataService service) {
    this.service = service;
  }

  /**
   * Reads a file.
   *
   * @throws MetadataException INVALID with line and column where it is wrong
   */
  public Read read(InputStream in) throws MetadataException {
    LimitedReader xml = null;
    try {
      xml = LimitedReader.of(in);
      document(xml);
      return new Read(readTypes, readObjects, readLinks);
    } catch (XMLStreamException e) {
      throw MetadataException.invalid("the file is no XML that is understood: " + oneLine(e));
    } catch (MetadataException e) {
      if (xml == null || e.reason() != MetadataException.Reason.INVALID) {
        throw e;
      }
      throw MetadataException.invalid(
          "line "
              + xml.getLocation().getLineNumber()
              + ", column "
              + xml.getLocation().getColumnNumber()
              + ": "
              + e.getMessage());
    }
  }

  private static String oneLine(XMLStreamException e) {
    return String.valueOf(e.getMessage()).replaceAll("\\s+", " ");
  }

  private void document(LimitedReader xml) throws XMLStreamException, MetadataException {
    while (xml.next() != XMLStreamConstants.START_ELEMENT) {
      if (xml.getEventType() == XMLStreamConstants.DTD) {
        throw MetadataException.invalid("the file has a DOCTYPE, which is not read");
      }
    }
    element(xml, "metadata");
    while (next(xml)) {
      switch (xml.getLocalName()) {
        case "type" -> type(xml);
        case "object" -> object(xml);
        case "link" -> link(xml);
        default -> throw unknown(xml);
      }
    }
    flush();
    while (xml.hasNext()) {
      xml.next(); // to the end: what follows the last element is checked, too
    }
  }

  private static void element(LimitedReader xml, String name) throws MetadataException {
    if (!NAMESPACE.equals(xml.getNamespaceURI()) || !xml.getLocalName().equals(name)) {
      throw MetadataException.invalid(
          "there is an element " + shown(xml) + "; " + name + " of " + NAMESPACE + " is due");
    }
  }

  private static String shown(LimitedReader xml) {
    return "'" + Limits.shortened(xml.getLocalName()) + "'";
  }

  private static MetadataException unknown(LimitedReader xml) {
    return MetadataException.invalid("an element " + shown(xml) + " cannot be here");
  }

  /** Goes to the next child, or the end of the element around; there is no text between. */
  private static boolean next(LimitedReader xml) throws XMLStreamException, MetadataException {
    if (xml.nextTag() != XMLStreamConstants.START_ELEMENT) {
      return false;
    }
    if (!NAMESPACE.equals(xml.getNamespaceURI())) {
      throw unknown(xml);
    }
    return true;
  }

  private static String required(LimitedReader xml, String name) throws MetadataException {
    String value = xml.getAttributeValue(null, name);
    if (value == null) {
      throw MetadataException.invalid(
          "element " + xml.getLocalName() + " has no attribute " + name);
    }
    return value;
  }

  private void type(LimitedReader xml) throws XMLStreamException, MetadataException {
    flush();
    String name = required(xml, "name");
    List<Attribute> attributes = new ArrayList<>();
    while (next(xml)) {
      element(xml, "attribute");
      if (attributes.size() == Limits.ATTRIBUTES) {
        throw MetadataException.invalid(
            "type " + name + " has more than " + Limits.ATTRIBUTES + " attributes");
      }
      attributes.add(attribute(xml));
      empty(xml);
    }
    if (attributes.isEmpty()) {
      throw MetadataException.invalid("type " + name + " has no attribute");
    }
    types.put(name, service.define(name, TypeDefinition.checked(attributes)));
    readTypes++;
  }

  private static Attribute attribute(LimitedReader xml) throws MetadataException {
    String name = Limits.name("attribute", required(xml, "name"));
    ValueType type = ValueType.of(required(xml, "type"));
    if (type == null) {
      throw MetadataException.invalid(
          "attribute "
              + name
              + ": type is one of text, integer, decimal, boolean and time, not '"
              + Limits.shortened(required(xml, "type"))
              + "'");
    }
    String indexed = xml.getAttributeValue(null, "indexed");
    boolean isIndexed = indexed != null && (Boolean) ValueType.BOOLEAN.parse(indexed);
    Attribute attribute = new Attribute(name, type, isIndexed, null);
    String fallback = xml.getAttributeValue(null, "default");
    return fallback == null
        ? attribute
        : new Attribute(name, type, isIndexed, attribute.checked(type.parse(fallback)));
  }

  private static void empty(LimitedReader xml) throws XMLStreamException, MetadataException {
    if (xml.nextTag() != XMLStreamConstants.END_ELEMENT) {
      throw unknown(xml);
    }
  }

  private void object(LimitedReader xml) throws XMLStreamException, MetadataException {
    String name = required(xml, "type");
    String key = xml.getAttributeValue(null, "key");
    ObjectType type = types.get(name);
    if (type == null) {
      type = service.type(name);
      types.put(name, type);
    }
    Map<String, Object> values = new LinkedHashMap<>();
    while (next(xml)) {
      element(xml, "value");
      String attribute = required(xml, "name");
      Attribute definition = type.attributes().get(type.place(attribute));
      String text = xml.text();
      if (values.put(attribute, definition.checked(definition.type().parse(text))) != null) {
        throw MetadataException.invalid("attribute " + attribute + " has two values");
      }
      waitingText += text.length();
    }
    type.copied(values); // a mistake is told at its own line, not at the end of a batch
    if (!name.equals(waitingType)) {
      flush();
      waitingType = name;
    }
    if (key != null && (keys.containsKey(key) || !newKeys.add(key))) {
      throw MetadataException.invalid("key '" + Limits.shortened(key) + "' is there twice");
    }
    waiting.add(values);
    waitingKeys.add(key);
    if (waiting.size() == AT_ONCE || waitingText > Limits.BATCH_TEXT) {
      flush();
    }
  }

  private void flush() throws MetadataException {
    if (waiting.isEmpty()) {
      return;
    }
    List<Long> ids = service.createAll(waitingType, waiting);
    for (int i = 0; i < ids.size(); i++) {
      if (waitingKeys.get(i) != null) {
        keys.put(waitingKeys.get(i), ids.get(i));
      }
    }
    if (keys.size() > KEYS) {
      throw MetadataException.invalid("the file has more than " + KEYS + " keys");
    }
    readObjects += ids.size();
    waiting.clear();
    waitingKeys.clear();
    newKeys.clear();
    waitingText = 0;
  }

  private void link(LimitedReader xml) throws XMLStreamException, MetadataException {
    flush();
    service.link(
        new Link(
            end(required(xml, "source")), required(xml, "name"), end(required(xml, "target"))));
    readLinks++;
    empty(xml);
  }

  /** The object of a key of this file. */
  private long end(String key) throws MetadataException {
    Long id = keys.get(key);
    if (id == null) {
      throw MetadataException.invalid(
          "there is no object with key '" + Limits.shortened(key) + "' before");
    }
    return id;
  }
}
