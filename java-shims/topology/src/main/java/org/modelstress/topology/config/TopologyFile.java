package org.modelstress.topology.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.modelstress.topology.data.Oids;
import org.modelstress.topology.query.Condition;
import org.modelstress.topology.query.Query;
import org.modelstress.topology.query.QueryException;
import org.modelstress.topology.query.QueryParser;
import org.modelstress.topology.schema.Attribute;
import org.modelstress.topology.schema.ObjectType;
import org.modelstress.topology.schema.Schema;
import org.modelstress.topology.schema.ValueType;
import org.modelstress.topology.wire.Write;

/** Reads configuration files ({@code docs/tools/topology.md}). Every mistake is one sentence. */
public final class TopologyFile {
  private static final int LARGEST = 1 << 20;
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,29}");
  private static final Pattern WORD = Pattern.compile("[A-Za-z][A-Za-z0-9_]{0,59}");
  private static final ObjectReader READER =
      new YAMLMapper(new YAMLFactory())
          .readerFor(Text.class)
          .with(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .with(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);

  /** The file as it is written. */
  record Text(
      @JsonProperty(required = true) Map<String, TypeText> types,
      @JsonProperty(required = true) Map<String, Integer> stores,
      LinkedHashMap<String, LinkedHashSet<String>> applications,
      @JsonProperty(required = true) Map<String, DomainText> domains,
      Map<String, ManagerText> managers) {}

  record TypeText(
      @JsonProperty(required = true) int code,
      @JsonProperty(required = true) LinkedHashMap<String, String> attributes) {}

  record DomainText(
      @JsonProperty(required = true) int code,
      @JsonProperty(required = true) List<String> define,
      @JsonProperty(required = true) String tree) {}

  record ManagerText(
      Integer id,
      List<Integer> ids,
      String application,
      List<LinkText> connections,
      List<String> exports,
      List<String> listeners,
      Integer workers,
      Integer queue,
      Integer cached) {}

  record LinkText(
      @JsonProperty(required = true) String adapter,
      String server,
      String store,
      @JsonProperty(required = true) List<String> imports) {}

  private final String file;
  private final Map<String, Integer> stores = new LinkedHashMap<>();
  private final Map<String, Set<String>> applications = new LinkedHashMap<>();
  private final Map<String, Domain> domains = new LinkedHashMap<>();
  private Schema schema;

  private TopologyFile(String file) {
    this.file = file;
  }

  /**
   * Reads a file.
   *
   * @throws ConfigException naming the file, the entry and what is wrong
   */
  public static Topology read(Path file) throws ConfigException {
    try {
      if (Files.size(file) > LARGEST) {
        throw new ConfigException(file + ": a configuration has at most " + LARGEST + " bytes");
      }
      return parse(file.getFileName().toString(), Files.readString(file));
    } catch (IOException e) {
      throw new ConfigException(file + ": cannot be read: " + e.getMessage());
    }
  }

  /**
   * Reads the text of a file. Without managers it says how objects are distributed among stores,
   * and no more: that is enough to fill them.
   *
   * @param file its name, for messages
   * @throws ConfigException naming the file, the entry and what is wrong
   */
  public static Topology parse(String file, String text) throws ConfigException {
    if (text.length() > LARGEST) {
      throw new ConfigException(file + ": a configuration has at most " + LARGEST + " characters");
    }
    try {
      return new TopologyFile(file).topology(READER.<Text>readValue(text));
    } catch (JsonProcessingException e) {
      String where = e.getLocation() == null ? "" : " (line " + e.getLocation().getLineNr() + ")";
      throw new ConfigException(file + where + ": " + firstLine(e.getOriginalMessage()));
    }
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("not understood");
  }

  private Topology topology(Text text) throws ConfigException {
    schema = new Schema(types(text.types()));
    for (Map.Entry<String, Integer> store : text.stores().entrySet()) {
      check(NAME.matcher(store.getKey()).matches(), "stores." + store.getKey(), "is no name");
      check(
          store.getValue() != null && store.getValue() >= 1 && store.getValue() <= Oids.MOST_STORES,
          "stores." + store.getKey(),
          "needs a number from 1 to " + Oids.MOST_STORES);
      check(
          !stores.containsValue(store.getValue()),
          "stores." + store.getKey(),
          "has the number of another store, " + store.getValue());
      stores.put(store.getKey(), store.getValue());
    }
    if (text.applications() != null) {
      applications(text.applications());
    }
    Map<Integer, String> codes = new HashMap<>();
    for (Map.Entry<String, DomainText> entry : text.domains().entrySet()) {
      Domain domain = domain(entry.getKey(), entry.getValue());
      String other = codes.put(domain.code(), domain.name());
      check(other == null, "domains." + domain.name(), "has the code of domain " + other);
      domains.put(domain.name(), domain);
    }
    List<ManagerConfig> managers = new ArrayList<>();
    for (Map.Entry<String, ManagerText> entry :
        text.managers() == null
            ? Map.<String, ManagerText>of().entrySet()
            : text.managers().entrySet()) {
      managers.add(manager(entry.getKey(), entry.getValue()));
    }
    Topology topology = new Topology(schema, stores, applications, domains.values(), managers);
    new TopologyCheck(file, topology).run();
    return topology;
  }

  /** Every store is of one of them. */
  private void applications(Map<String, LinkedHashSet<String>> texts) throws ConfigException {
    Map<String, String> ofStore = new HashMap<>();
    for (Map.Entry<String, LinkedHashSet<String>> entry : texts.entrySet()) {
      String where = "applications." + entry.getKey();
      check(NAME.matcher(entry.getKey()).matches(), where, "is no name");
      check(entry.getValue() != null && !entry.getValue().isEmpty(), where, "has no stores");
      for (String store : entry.getValue()) {
        check(stores.containsKey(store), where, "has unknown store " + store);
        String other = ofStore.put(store, entry.getKey());
        check(other == null, where, "has store " + store + " of application " + other);
      }
      applications.put(entry.getKey(), entry.getValue());
    }
    for (String store : stores.keySet()) {
      check(ofStore.containsKey(store), "applications", "do not have store " + store);
    }
  }

  private List<ObjectType> types(Map<String, TypeText> texts) throws ConfigException {
    List<ObjectType> types = new ArrayList<>();
    Map<Integer, String> codes = new HashMap<>();
    for (Map.Entry<String, TypeText> entry : texts.entrySet()) {
      String where = "types." + entry.getKey();
      check(WORD.matcher(entry.getKey()).matches(), where, "is no name of a type");
      TypeText text = entry.getValue();
      String other = codes.put(text.code(), entry.getKey());
      check(other == null, where, "has the code of type " + other);
      check(
          text.attributes().size() <= Write.MOST_ATTRIBUTES,
          where,
          "has more than " + Write.MOST_ATTRIBUTES + " attributes");
      List<Attribute> attributes = new ArrayList<>();
      for (Map.Entry<String, String> attribute : text.attributes().entrySet()) {
        attributes.add(attribute(where, attribute.getKey(), attribute.getValue(), texts.keySet()));
      }
      types.add(new ObjectType(entry.getKey(), text.code(), attributes));
    }
    return types;
  }

  /** {@code int}, {@code int indexed}, or the name of a type for a reference. */
  private Attribute attribute(String type, String name, String text, Set<String> types)
      throws ConfigException {
    String where = type + ".attributes." + name;
    check(WORD.matcher(name).matches() && text != null, where, "is no attribute");
    String[] words = text.strip().split("\\s+");
    boolean indexed = words.length == 2 && words[1].equals("indexed");
    check(
        words.length == 1 || indexed, where, "is '" + text + "'; write a type, or it and indexed");
    for (ValueType value : ValueType.values()) {
      if (value != ValueType.REFERENCE && value.word().equals(words[0])) {
        return new Attribute(name, value, null, indexed);
      }
    }
    check(types.contains(words[0]), where, "has unknown type " + words[0]);
    return new Attribute(name, ValueType.REFERENCE, words[0], indexed);
  }

  private Domain domain(String name, DomainText text) throws ConfigException {
    String where = "domains." + name;
    check(NAME.matcher(name).matches(), where, "is no name");
    Map<ObjectType, Condition> definition = new LinkedHashMap<>();
    for (String part : text.define()) {
      try {
        Query query = QueryParser.query(part, schema);
        check(
            query.order().isEmpty() && query.parameters() == 0,
            where,
            "is defined by queries without ORDER BY and question marks, not by '" + part + "'");
        check(!definition.containsKey(query.type()), where, "has type " + query.type() + " twice");
        definition.put(query.type(), query.condition());
      } catch (QueryException e) {
        throw wrong(where, "has '" + part + "': " + e.getMessage());
      }
    }
    try {
      Tree tree = Tree.parse(text.tree());
      for (String store : tree.stores()) {
        check(stores.containsKey(store), where, "has unknown store " + store + " in its tree");
      }
      return new Domain(name, text.code(), definition, tree);
    } catch (ConfigException e) {
      throw e.getMessage().startsWith(file) ? e : wrong(where, "has " + e.getMessage());
    }
  }

  private ManagerConfig manager(String name, ManagerText text) throws ConfigException {
    String where = "managers." + name;
    check(NAME.matcher(name).matches(), where, "is no name");
    check((text.id() == null) != (text.ids() == null), where, "needs one of id and ids");
    List<Integer> ids = text.id() != null ? List.of(text.id(), text.id()) : text.ids();
    check(
        ids.size() == 2
            && ids.get(0) >= 1
            && ids.get(0) <= ids.get(1)
            && ids.get(1) <= Oids.MOST_MANAGERS,
        where,
        "has ids " + ids + "; they are from 1 to " + Oids.MOST_MANAGERS + ", first and last");
    check(
        text.application() == null || applications.containsKey(text.application()),
        where + ".application",
        "is " + text.application() + "; there are " + applications.keySet());
    Set<String> known =
        text.application() == null ? stores.keySet() : applications.get(text.application());
    List<Link> links = new ArrayList<>();
    List<LinkText> connections = orEmpty(text.connections());
    for (int i = 0; i < connections.size(); i++) {
      links.add(link(where + ".connections." + i, connections.get(i), known));
    }
    Set<Link.Adapter> listeners = EnumSet.noneOf(Link.Adapter.class);
    for (String listener : orEmpty(text.listeners())) {
      Link.Adapter adapter = adapter(where + ".listeners", listener);
      check(
          adapter != Link.Adapter.JDBC, where + ".listeners", "has jdbc, which only stores speak");
      listeners.add(adapter);
    }
    return new ManagerConfig(
        name,
        ids.get(0),
        ids.get(1),
        text.application(),
        List.copyOf(links),
        parts(where + ".exports", orEmpty(text.exports()), known),
        listeners,
        count(where + ".workers", text.workers(), 32, 4096),
        count(where + ".queue", text.queue(), 10_000, 1_000_000),
        count(where + ".cached", text.cached(), 100_000, 10_000_000));
  }

  private Link link(String where, LinkText text, Set<String> known) throws ConfigException {
    check(
        (text.server() == null) != (text.store() == null), where, "needs one of server and store");
    Link.Adapter adapter = adapter(where + ".adapter", text.adapter());
    check(
        (adapter == Link.Adapter.JDBC) == (text.store() != null),
        where,
        "has adapter " + adapter.word() + "; jdbc leads to a store, the others to a server");
    Set<Part> imports = parts(where + ".imports", text.imports(), known);
    check(!imports.isEmpty(), where, "imports nothing");
    return new Link(adapter, text.server() != null ? text.server() : text.store(), imports);
  }

  private Link.Adapter adapter(String where, String word) throws ConfigException {
    for (Link.Adapter adapter : Link.Adapter.values()) {
      if (adapter.word().equals(word)) {
        return adapter;
      }
    }
    throw wrong(
        where,
        "has unknown adapter "
            + word
            + "; known are "
            + List.of(Link.Adapter.values()).toString().toLowerCase(Locale.ROOT));
  }

  private Set<Part> parts(String where, List<String> texts, Set<String> known)
      throws ConfigException {
    Set<Part> parts = new LinkedHashSet<>();
    for (String text : texts) {
      Part part;
      try {
        part = Part.parse(text);
      } catch (ConfigException e) {
        throw wrong(where, "has " + e.getMessage());
      }
      if (part.isPattern()) {
        List<Part> meant = meant(part, known);
        check(!meant.isEmpty(), where, "has " + part + ", which is nothing here");
        parts.addAll(meant);
        continue;
      }
      Domain domain = domains.get(part.domain());
      check(domain != null, where, "has " + part + "; there is no domain " + part.domain());
      check(
          domain.tree().stores().contains(part.store()),
          where,
          "has " + part + "; the tree of the domain has no store " + part.store());
      parts.add(part);
    }
    return parts;
  }

  /** Parts that a pattern means, in stores that a manager knows. */
  private List<Part> meant(Part pattern, Set<String> known) {
    List<Part> meant = new ArrayList<>();
    for (Domain domain : domains.values()) {
      for (String store : domain.tree().stores()) {
        Part part = new Part(domain.name(), store);
        if (known.contains(store) && pattern.means(part)) {
          meant.add(part);
        }
      }
    }
    return meant;
  }

  private int count(String where, Integer given, int fallback, int most) throws ConfigException {
    int count = given == null ? fallback : given;
    check(count >= 1 && count <= most, where, "is " + count + "; it is from 1 to " + most);
    return count;
  }

  private static <T> List<T> orEmpty(List<T> list) {
    return list == null ? List.of() : list;
  }

  private void check(boolean right, String where, String why) throws ConfigException {
    if (!right) {
      throw wrong(where, why);
    }
  }

  private ConfigException wrong(String where, String why) {
    return new ConfigException(file + ": " + where + " " + why);
  }
}
