package org.modelstress.arcadedb;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EClassifier;
import org.eclipse.emf.ecore.EReference;
import org.modelstress.harness.server.ToolServer.Progress;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.ModelSource;
import org.modelstress.models.PropertyGraph;

/**
 * Writes a model as a property graph: its classes are types of vertices that extend one another,
 * its references types of edges. Elements go to the server in one request, its bulk path; numbers
 * have an index.
 */
final class GraphWriter {
  private static final int STEP = 1_000;
  private static final String COMMAND = "/api/v1/command/" + ArcadedbProcess.DATABASE;
  private static final String BATCH =
      "/api/v1/batch/" + ArcadedbProcess.DATABASE + "?refMode=ordinal&idMapping=false";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ArcadedbProcess server;
  private final PropertyGraph graph;
  private final Set<EClass> types = new LinkedHashSet<>();

  GraphWriter(ArcadedbProcess server, ModelSource model) {
    this.server = server;
    ElementIndex elements = new ElementIndex(model.roots());
    graph = new PropertyGraph(elements);
    for (String uri : model.metamodels().keySet().stream().sorted().toList()) {
      for (EClassifier type : model.metamodels().getEPackage(uri).getEClassifiers()) {
        if (type instanceof EClass known) {
          add(known);
        }
      }
    }
    IntStream.range(0, elements.size()).forEach(i -> add(elements.element(i).eClass()));
  }

  /** Supertypes first. */
  private void add(EClass type) {
    if (!types.contains(type)) {
      type.getESuperTypes().forEach(this::add);
      types.add(type);
    }
  }

  /**
   * Writes everything into a new database, and returns how many elements there are.
   *
   * @throws IOException where the server refuses it
   * @throws IllegalArgumentException where a name of the metamodel could be something else in SQL
   */
  int write(Progress progress) throws IOException, InterruptedException {
    server.post("/api/v1/server", Map.of("command", "create database " + ArcadedbProcess.DATABASE));
    for (EClass type : types) {
      String parents =
          type.getESuperTypes().stream()
              .map(p -> name(p.getName()))
              .collect(Collectors.joining(", "));
      String extending = parents.isEmpty() ? "" : " EXTENDS " + parents;
      sql("CREATE VERTEX TYPE " + name(type.getName()) + " IF NOT EXISTS" + extending);
    }
    Stream<EReference> references = types.stream().flatMap(type -> type.getEReferences().stream());
    for (String edge : references.map(EReference::getName).distinct().toList()) {
      sql("CREATE EDGE TYPE " + name(edge) + " IF NOT EXISTS");
    }
    Iterable<byte[]> lines = () -> lines(progress);
    server.post(BATCH, BodyPublishers.ofByteArrays(lines));
    for (EAttribute number : graph.numbers()) {
      String type = name(number.getEContainingClass().getName());
      String kind = number.getEAttributeType().getInstanceClass().getSimpleName();
      String word = kind.startsWith("int") ? "INTEGER" : kind.toUpperCase(Locale.ROOT);
      sql("CREATE PROPERTY " + type + "." + name(number.getName()) + " IF NOT EXISTS " + word);
      sql("CREATE INDEX IF NOT EXISTS ON " + type + " (" + name(number.getName()) + ") NOTUNIQUE");
    }
    progress.at(graph.size(), graph.size());
    return graph.size();
  }

  private void sql(String command) throws IOException, InterruptedException {
    server.post(COMMAND, Map.of("language", "sql", "command", command));
  }

  /** A name in SQL, from a metamodel that anybody may have written. */
  static String name(String word) {
    if (!word.matches("[^`\\\\\\p{Cntrl}]+")) {
      throw new IllegalArgumentException("a type cannot be called " + word + " in ArcadeDB");
    }
    return "`" + word + "`";
  }

  /** All vertices, then all edges, a part at a time while it is sent. */
  private Iterator<byte[]> lines(Progress progress) {
    int size = graph.size();
    int parts = (size + STEP - 1) / STEP;
    return IntStream.range(0, 2 * parts)
        .mapToObj(
            part -> {
              IntFunction<String> line = part < parts ? this::vertex : this::edges;
              int begin = part % parts * STEP;
              progress.at(begin + (part < parts ? 0 : size), 2L * size);
              return IntStream.range(begin, Math.min(size, begin + STEP))
                  .mapToObj(line)
                  .collect(Collectors.joining())
                  .getBytes(StandardCharsets.UTF_8);
            })
        .iterator();
  }

  private String vertex(int node) {
    Map<String, Object> vertex = new LinkedHashMap<>();
    vertex.put("@type", "vertex");
    vertex.put("@class", graph.labels(node).get(0));
    vertex.putAll(graph.properties(node));
    return line(vertex);
  }

  private String edges(int node) {
    return graph.edges(node).stream()
        .map(
            edge ->
                line(
                    Map.of(
                        "@type", "edge",
                        "@class", edge.type(),
                        "@from", Integer.toString(node),
                        "@to", Integer.toString(edge.target()))))
        .collect(Collectors.joining());
  }

  private static String line(Map<String, Object> record) {
    try {
      return JSON.writeValueAsString(record) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("a value cannot be stored: " + e.getMessage(), e);
    }
  }
}
