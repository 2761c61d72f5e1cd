package org.modelstress.hawk.graph.neo4j;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphException;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.IndexType;
import org.modelstress.hawk.graph.NodeKind;
import org.neo4j.exceptions.KernelException;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.Transaction;
import org.neo4j.graphdb.schema.IndexDefinition;
import org.neo4j.internal.kernel.api.exceptions.TransactionFailureException;
import org.neo4j.internal.kernel.api.security.LoginContext;
import org.neo4j.internal.schema.IndexDescriptor;
import org.neo4j.internal.schema.SchemaDescriptors;
import org.neo4j.kernel.api.KernelTransaction;
import org.neo4j.token.api.TokenHolder;

/** An open Neo4j database. */
final class Neo4jGraph implements Graph {
  /** A writer that waits longer than this for another is told so. */
  private static final int WRITER_SECONDS = 60;

  private static final int INDEX_SECONDS = 600;
  private static final int ENTRIES_PER_COMMIT = 20_000;

  /** An index: its schema rule and the properties of its entries. */
  record Index(IndexDescriptor descriptor, int key, int longKey) {}

  private final Neo4jDatabase database;
  private final Selections selections = new Selections();
  private final Semaphore writing = new Semaphore(1);
  private final Map<String, Index> indices = new ConcurrentHashMap<>();
  private final int nodeLabel;
  private final int[] kindLabels = new int[NodeKind.values().length];
  private final IndexDescriptor nodesByLabel;

  Neo4jGraph(Neo4jDatabase database) {
    this.database = database;
    TokenHolder labels = database.database().getTokenHolders().labelTokens();
    nodeLabel = token(labels, Names.NODE);
    for (NodeKind kind : NodeKind.values()) {
      kindLabels[kind.ordinal()] = token(labels, kind.name());
    }
    awaitIndices();
    try (KernelTransaction transaction = begin()) {
      nodesByLabel =
          transaction
              .schemaRead()
              .index(
                  SchemaDescriptors.ANY_TOKEN_NODE_SCHEMA_DESCRIPTOR,
                  org.neo4j.internal.schema.IndexType.LOOKUP);
      transaction
          .schemaRead()
          .indexesGetAll()
          .forEachRemaining(
              index -> {
                if (index.getName().startsWith(Names.INDEX)) {
                  remember(index.getName().substring(Names.INDEX.length()), index);
                }
              });
    } catch (TransactionFailureException e) {
      throw failure(e);
    }
  }

  /** Indices are filled in the background, after a crash too. */
  private void awaitIndices() {
    try (Transaction transaction = database.api().beginTx()) {
      transaction.schema().awaitIndexesOnline(INDEX_SECONDS, TimeUnit.SECONDS);
    } catch (RuntimeException e) {
      throw failure(e);
    }
  }

  private void remember(String name, IndexDescriptor descriptor) {
    indices.put(name, new Index(descriptor, key(Names.INDEX + name), key(Names.LONG_ENTRY + name)));
  }

  private int token(TokenHolder tokens, String name) {
    try {
      return tokens.getOrCreateId(name);
    } catch (KernelException e) {
      throw failure(e);
    }
  }

  /** What to throw when Neo4j threw this. */
  GraphException failure(Exception cause) {
    if (cause instanceof GraphException known) {
      return known;
    }
    String reason = String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    return new GraphException("Neo4j failed in " + database.folder() + ": " + reason, cause);
  }

  KernelTransaction begin() {
    try {
      return database
          .kernel()
          .beginTransaction(KernelTransaction.Type.IMPLICIT, LoginContext.AUTH_DISABLED);
    } catch (TransactionFailureException | RuntimeException e) {
      throw failure(e);
    }
  }

  @Override
  public String idText(long node) {
    return Long.toString(node);
  }

  @Override
  public long parseId(String text) {
    if (!text.matches("\\d{1,18}")) {
      throw new IllegalArgumentException("'" + text + "' is not an identifier of Neo4j");
    }
    return Long.parseLong(text);
  }

  @Override
  public int label(String name) {
    return token(database.database().getTokenHolders().relationshipTypeTokens(), name);
  }

  @Override
  public int key(String name) {
    return token(database.database().getTokenHolders().propertyKeyTokens(), name);
  }

  String keyName(int key) {
    return database.database().getTokenHolders().propertyKeyGetName(key);
  }

  Selections selections() {
    return selections;
  }

  int nodeLabel() {
    return nodeLabel;
  }

  int kindLabel(NodeKind kind) {
    return kindLabels[kind.ordinal()];
  }

  IndexDescriptor nodesByLabel() {
    return nodesByLabel;
  }

  /**
   * The index of a name.
   *
   * @throws IllegalArgumentException if there is none
   */
  Index index(String name) {
    Index index = indices.get(name);
    if (index == null) {
      throw new IllegalArgumentException("there is no index '" + name + "'");
    }
    return index;
  }

  Collection<Index> allIndices() {
    return indices.values();
  }

  @Override
  public void createIndex(String name, IndexType type) {
    String full = Names.INDEX + name;
    try (Transaction transaction = database.api().beginTx()) {
      transaction
          .schema()
          .indexFor(Label.label(Names.NODE))
          .on(full)
          .withIndexType(org.neo4j.graphdb.schema.IndexType.RANGE)
          .withName(full)
          .create();
      transaction.commit();
    } catch (RuntimeException e) {
      throw failure(e);
    }
    awaitIndices();
    try (KernelTransaction transaction = begin()) {
      remember(name, transaction.schemaRead().indexGetForName(full));
    } catch (TransactionFailureException e) {
      throw failure(e);
    }
  }

  @Override
  public void dropIndex(String name) {
    index(name);
    removeEntries(name);
    indices.remove(name);
    try (Transaction transaction = database.api().beginTx()) {
      IndexDefinition index = transaction.schema().getIndexByName(Names.INDEX + name);
      index.drop();
      transaction.commit();
    } catch (RuntimeException e) {
      throw failure(e);
    }
  }

  /** An index made anew under this name must not find them. */
  private void removeEntries(String name) {
    try (Neo4jWriter writer = write()) {
      LongArrayList nodes = writer.entries(name);
      for (int i = 0; i < nodes.size(); i++) {
        writer.setIndexed(name, nodes.get(i), null);
        if (i % ENTRIES_PER_COMMIT == ENTRIES_PER_COMMIT - 1) {
          writer.commit();
        }
      }
      writer.commit();
    }
  }

  @Override
  public Set<String> indices() {
    return new TreeSet<>(indices.keySet());
  }

  @Override
  public GraphReader read() {
    return new Neo4jReader(this);
  }

  @Override
  public Neo4jWriter write() {
    try {
      if (!writing.tryAcquire(WRITER_SECONDS, TimeUnit.SECONDS)) {
        throw new GraphException(
            "another writer has been open for more than " + WRITER_SECONDS + " s", null);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GraphException("interrupted while waiting for another writer", e);
    }
    try {
      return new Neo4jWriter(this, writing::release);
    } catch (RuntimeException e) {
      writing.release();
      throw e;
    }
  }

  @Override
  public void close() {
    database.close();
  }
}
