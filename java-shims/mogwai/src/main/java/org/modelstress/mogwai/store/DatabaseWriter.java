package org.modelstress.mogwai.store;

import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.neo4j.graphdb.DynamicRelationshipType;
import org.neo4j.graphdb.PropertyContainer;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.Transaction;
import org.neo4j.graphdb.factory.GraphDatabaseFactory;
import org.neo4j.helpers.collection.MapUtil;
import org.neo4j.index.lucene.unsafe.batchinsert.LuceneBatchInserterIndexProvider;
import org.neo4j.kernel.GraphDatabaseAPI;
import org.neo4j.unsafe.batchinsert.BatchInserter;
import org.neo4j.unsafe.batchinsert.BatchInserterIndex;
import org.neo4j.unsafe.batchinsert.BatchInserterIndexProvider;
import org.neo4j.unsafe.batchinsert.BatchInserters;

/** Writes vertices, edges and index entries of a new database; any failure is an IOException. */
final class DatabaseWriter implements AutoCloseable {
  private static final Map<String, String> EXACT =
      MapUtil.stringMap("provider", "lucene", "type", "exact");
  private static final String INDEXED_VERTEX_KEYS = "Vertex:indexed_keys";
  private static final String INDEXED_EDGE_KEYS = "Edge:indexed_keys";

  private final BatchInserter inserter;
  private final BatchInserterIndexProvider indices;
  private final BatchInserterIndex vertices;
  private final BatchInserterIndex edges;
  private final BatchInserterIndex metaclasses;
  private final Map<String, RelationshipType> labels = new HashMap<>();
  private final Map<String, Object> properties = new LinkedHashMap<>();

  /** For a new database. */
  DatabaseWriter(DatabaseFolder folder) throws IOException {
    try {
      inserter = BatchInserters.inserter(folder.path().toString());
    } catch (RuntimeException e) {
      throw failure(e);
    }
    indices = new LuceneBatchInserterIndexProvider(inserter);
    try {
      vertices = indices.nodeIndex(Schema.VERTEX_INDEX, EXACT);
      edges = indices.relationshipIndex(Schema.EDGE_INDEX, EXACT);
      metaclasses = indices.nodeIndex(Schema.METACLASSES, EXACT);
    } catch (RuntimeException e) {
      close();
      throw failure(e);
    }
  }

  /** Neo4j and Lucene wrap what the operating system said. */
  private static IOException failure(RuntimeException thrown) {
    Throwable cause = thrown;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return new IOException(
        cause.getMessage() == null ? cause.toString() : cause.getMessage(), thrown);
  }

  /** Creates a vertex with an identifier and more properties; returns Neo4j's number for it. */
  long createVertex(String id, Map<String, Object> more) throws IOException {
    properties.clear();
    properties.put(Schema.ID, id);
    properties.putAll(more);
    try {
      long vertex = inserter.createNode(properties);
      vertices.add(vertex, Map.of(Schema.ID, id));
      return vertex;
    } catch (RuntimeException e) {
      throw failure(e);
    }
  }

  /** Enters a metaclass's vertex into its index. */
  void indexClass(String name, long vertex) throws IOException {
    try {
      metaclasses.add(vertex, Map.of(Schema.NAME, name));
    } catch (RuntimeException e) {
      throw failure(e);
    }
  }

  /** Creates an edge with an identifier and, unless the key is null, one more property. */
  void createEdge(String label, long from, long to, String id, String key, Object value)
      throws IOException {
    properties.clear();
    properties.put(Schema.ID, id);
    if (key != null) {
      properties.put(key, value);
    }
    try {
      RelationshipType type = labels.computeIfAbsent(label, DynamicRelationshipType::withName);
      long edge = inserter.createRelationship(from, to, type, properties);
      edges.add(edge, Map.of(Schema.ID, id));
    } catch (RuntimeException e) {
      throw failure(e);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      try {
        indices.shutdown();
      } finally {
        inserter.shutdown();
      }
    } catch (RuntimeException e) {
      throw failure(e);
    }
  }

  /**
   * Does what the batch inserter cannot: tells Blueprints which properties its automatic indices
   * hold, else it would index everything again, and removes the empty vertex that Neo4j puts into
   * every new database, as Blueprints does.
   */
  static void finish(DatabaseFolder folder) throws IOException {
    GraphDatabaseAPI database = null;
    try {
      database =
          (GraphDatabaseAPI)
              new GraphDatabaseFactory().newEmbeddedDatabase(folder.path().toString());
      Transaction transaction = database.beginTx();
      try {
        PropertyContainer known = graphProperties(database);
        known.setProperty(INDEXED_VERTEX_KEYS, new String[] {Schema.ID});
        known.setProperty(INDEXED_EDGE_KEYS, new String[] {Schema.ID});
        database.getNodeById(0).delete();
        transaction.success();
      } finally {
        transaction.finish();
      }
    } catch (RuntimeException e) {
      throw failure(e);
    } finally {
      if (database != null) {
        database.shutdown();
      }
    }
    folder.writeSettings();
  }

  /** Where Blueprints itself looks, by the same way; there is no other. */
  @SuppressWarnings("deprecation")
  private static PropertyContainer graphProperties(GraphDatabaseAPI database) {
    return database.getNodeManager().getGraphProperties();
  }
}
