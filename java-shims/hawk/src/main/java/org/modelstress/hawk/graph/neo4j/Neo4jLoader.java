package org.modelstress.hawk.graph.neo4j;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleConsumer;
import java.util.function.IntConsumer;
import org.eclipse.collections.impl.list.mutable.primitive.IntArrayList;
import org.eclipse.collections.impl.map.mutable.primitive.ObjectIntHashMap;
import org.modelstress.hawk.graph.GraphException;
import org.modelstress.hawk.graph.GraphLoader;
import org.modelstress.hawk.graph.NodeKind;
import org.neo4j.batchimport.api.Configuration;
import org.neo4j.batchimport.api.IndexConfig;
import org.neo4j.batchimport.api.InputIterable;
import org.neo4j.batchimport.api.InputIterator;
import org.neo4j.batchimport.api.Monitor;
import org.neo4j.batchimport.api.input.Collector;
import org.neo4j.batchimport.api.input.IdType;
import org.neo4j.batchimport.api.input.Input;
import org.neo4j.batchimport.api.input.InputChunk;
import org.neo4j.batchimport.api.input.InputEntityVisitor;
import org.neo4j.batchimport.api.input.ReadableGroups;
import org.neo4j.configuration.Config;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.internal.batchimport.BatchImporterFactory;
import org.neo4j.internal.batchimport.DefaultAdditionalIds;
import org.neo4j.internal.batchimport.staging.ExecutionMonitor;
import org.neo4j.io.fs.DefaultFileSystemAbstraction;
import org.neo4j.io.fs.FileSystemAbstraction;
import org.neo4j.io.pagecache.context.CursorContextFactory;
import org.neo4j.io.pagecache.tracing.PageCacheTracer;
import org.neo4j.kernel.impl.index.schema.IndexImporterFactoryImpl;
import org.neo4j.kernel.impl.scheduler.JobSchedulerFactory;
import org.neo4j.kernel.impl.transaction.log.EmptyLogTailMetadata;
import org.neo4j.kernel.impl.transaction.log.files.TransactionLogInitializer;
import org.neo4j.logging.internal.NullLogService;
import org.neo4j.memory.EmptyMemoryTracker;
import org.neo4j.scheduler.JobScheduler;

/**
 * Keeps the graph in arrays until it is closed and gives it to Neo4j's batch importer then, which
 * writes store files without transactions. Identifiers are given in order from 0.
 */
final class Neo4jLoader implements GraphLoader {
  private static final int ENTITIES_PER_CHUNK = 10_000;

  private final Path folder;
  private final Config config;
  private final List<NodeKind> kinds = new ArrayList<>();
  private final List<Object[]> properties = new ArrayList<>();
  private final List<String> labels = new ArrayList<>();
  private final ObjectIntHashMap<String> labelTokens = new ObjectIntHashMap<>();
  private final IntArrayList edgeFrom = new IntArrayList();
  private final IntArrayList edgeLabel = new IntArrayList();
  private final IntArrayList edgeTo = new IntArrayList();
  private boolean open = true;

  Neo4jLoader(Path folder, int cacheMegabytes) {
    this.folder = folder;
    this.config = Neo4jDatabase.config(folder, cacheMegabytes);
    config.set(GraphDatabaseSettings.dense_node_threshold, 1);
    if (Files.exists(Neo4jDatabase.layout(config).metadataStore())) {
      throw new GraphException("there is a Neo4j graph in " + folder + " already", null);
    }
  }

  @Override
  public long createNode(NodeKind kind, Map<String, Object> values) {
    Object[] flat = new Object[2 * values.size()];
    int i = 0;
    for (Map.Entry<String, Object> value : values.entrySet()) {
      flat[i++] = value.getKey();
      flat[i++] = value.getValue();
    }
    kinds.add(kind);
    properties.add(flat);
    return kinds.size() - 1;
  }

  @Override
  public int label(String name) {
    return labelTokens.getIfAbsentPut(
        name,
        () -> {
          labels.add(name);
          return labels.size() - 1;
        });
  }

  @Override
  public void createEdge(long from, int label, long to) {
    edgeFrom.add(Math.toIntExact(from));
    edgeLabel.add(label);
    edgeTo.add(Math.toIntExact(to));
  }

  @Override
  public void write(DoubleConsumer progress) {
    if (open) {
      open = false;
      try (FileSystemAbstraction files = new DefaultFileSystemAbstraction();
          JobScheduler scheduler = JobSchedulerFactory.createInitialisedScheduler()) {
        Files.createDirectories(folder);
        write(files, scheduler, progress);
      } catch (Exception e) {
        throw new GraphException("Neo4j could not write a graph to " + folder, e);
      }
    }
  }

  private void write(FileSystemAbstraction files, JobScheduler scheduler, DoubleConsumer progress)
      throws IOException {
    int[] order = edgesByLabel();
    double all = (double) kinds.size() + order.length;
    BatchImporterFactory.withHighestPriority()
        .instantiate(
            Neo4jDatabase.layout(config),
            files,
            PageCacheTracer.NULL,
            new Limits(),
            NullLogService.getInstance(),
            ExecutionMonitor.INVISIBLE,
            DefaultAdditionalIds.EMPTY,
            new EmptyLogTailMetadata(config),
            config,
            Monitor.NO_MONITOR,
            scheduler,
            Collector.STRICT,
            TransactionLogInitializer.getLogFilesInitializer(),
            new IndexImporterFactoryImpl(),
            EmptyMemoryTracker.INSTANCE,
            CursorContextFactory.NULL_CONTEXT_FACTORY)
        .doImport(
            Input.input(
                entities(kinds.size(), this::node, done -> progress.accept(done / all)),
                entities(
                    order.length,
                    (number, visitor) -> edge(order[number], visitor),
                    done -> progress.accept((kinds.size() + done) / all)),
                IdType.ACTUAL,
                estimates(),
                ReadableGroups.EMPTY));
  }

  /**
   * The edges label by label, those of each in the order in which they were created. Neo4j keeps
   * the edges of a node by label in the order of the labels' tokens, which are given as they come
   * here. Labels whose edges lead to few nodes, such as types and files, come last: they are
   * followed from the target, where there is no other label, more often than from the source.
   */
  private int[] edgesByLabel() {
    int[] edges = new int[labels.size()];
    BitSet[] targets = new BitSet[labels.size()];
    Arrays.setAll(targets, label -> new BitSet());
    for (int i = 0; i < edgeLabel.size(); i++) {
      edges[edgeLabel.get(i)]++;
      targets[edgeLabel.get(i)].set(edgeTo.get(i));
    }
    Integer[] sorted = new Integer[labels.size()];
    Arrays.setAll(sorted, label -> label);
    Arrays.sort(
        sorted,
        Comparator.comparingDouble(label -> (double) edges[label] / targets[label].cardinality()));
    int[] begin = new int[labels.size()];
    int sum = 0;
    for (int label : sorted) {
      begin[label] = sum;
      sum += edges[label];
    }
    int[] order = new int[edgeLabel.size()];
    for (int i = 0; i < order.length; i++) {
      order[begin[edgeLabel.get(i)]++] = i;
    }
    return order;
  }

  private Input.Estimates estimates() {
    long values = 0;
    for (Object[] flat : properties) {
      values += flat.length / 2;
    }
    return Input.knownEstimates(
        kinds.size(), edgeFrom.size(), values, 0, values * 8, 0, 2L * kinds.size());
  }

  private void node(int node, InputEntityVisitor visitor) throws IOException {
    visitor.id(node);
    visitor.labels(new String[] {Names.NODE, kinds.get(node).name()});
    Object[] flat = properties.get(node);
    for (int i = 0; i < flat.length; i += 2) {
      visitor.property((String) flat[i], flat[i + 1]);
    }
    visitor.endOfEntity();
  }

  private void edge(int edge, InputEntityVisitor visitor) throws IOException {
    visitor.startId(edgeFrom.get(edge));
    visitor.endId(edgeTo.get(edge));
    visitor.type(labels.get(edgeLabel.get(edge)));
    visitor.endOfEntity();
  }

  /** One entity of the input. */
  private interface Entity {
    void visit(int number, InputEntityVisitor visitor) throws IOException;
  }

  private static InputIterable entities(int count, Entity entity, IntConsumer progress) {
    return () ->
        new InputIterator() {
          private int begin;

          @Override
          public InputChunk newChunk() {
            return new Chunk(entity);
          }

          @Override
          public synchronized boolean next(InputChunk chunk) {
            int end = Math.min(begin + ENTITIES_PER_CHUNK, count);
            progress.accept(begin);
            ((Chunk) chunk).next = begin;
            ((Chunk) chunk).end = end;
            begin = end;
            return ((Chunk) chunk).next < end;
          }

          @Override
          public void close() {}
        };
  }

  private static final class Chunk implements InputChunk {
    private final Entity entity;
    private int next;
    private int end;

    Chunk(Entity entity) {
      this.entity = entity;
    }

    @Override
    public boolean next(InputEntityVisitor visitor) throws IOException {
      if (next == end) {
        return false;
      }
      entity.visit(next++, visitor);
      return true;
    }

    @Override
    public void close() {}
  }

  /** One worker: what counts is processor time, not how many processors share it. */
  private static final class Limits implements Configuration {
    @Override
    public int maxNumberOfWorkerThreads() {
      return 1;
    }

    @Override
    public IndexConfig indexConfig() {
      return IndexConfig.create().withLabelIndex();
    }
  }
}
