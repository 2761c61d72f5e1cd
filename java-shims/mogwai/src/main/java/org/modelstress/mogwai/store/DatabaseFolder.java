package org.modelstress.mogwai.store;

import fr.inria.atlanmod.neoemf.data.blueprints.neo4j.option.BlueprintsNeo4jResourceOptions;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.kernel.StoreLocker;

/** The files of a NeoEMF/Graph database: those of Neo4j 1.9, and two with NeoEMF's settings. */
final class DatabaseFolder {
  private static final String GRAPH_SETTINGS = "config.properties";
  private static final String NEOEMF_SETTINGS = "neoconfig.properties";
  private static final String DIRECTORY = "blueprints.neo4j.directory";
  private static final String CONF = "blueprints.neo4j.conf.";

  /** What every file of Neo4j 1.9 ends with after a proper end. */
  private static final String LAYOUT = "v0.A.0";

  /** Neo4j's files by name, with what they begin their last words with. */
  private static final Map<String, String> STORES =
      Map.of(
          "neostore", "NeoStore",
          "neostore.nodestore.db", "NodeStore",
          "neostore.relationshipstore.db", "RelationshipStore",
          "neostore.relationshiptypestore.db", "RelationshipTypeStore",
          "neostore.propertystore.db", "PropertyStore",
          "neostore.propertystore.db.index", "PropertyIndexStore",
          "neostore.propertystore.db.strings", "StringPropertyStore",
          "neostore.propertystore.db.arrays", "ArrayPropertyStore");

  /** Those of Neo4j's files that grow with the model, each with a setting for its mapped memory. */
  private static final String[] MAPPED = {
    "neostore.nodestore.db",
    "neostore.relationshipstore.db",
    "neostore.propertystore.db",
    "neostore.propertystore.db.strings",
    "neostore.propertystore.db.arrays"
  };

  private final Path path;

  DatabaseFolder(Path path) {
    this.path = path.toAbsolutePath().normalize();
  }

  Path path() {
    return path;
  }

  /**
   * Checks that a new database can be made here.
   *
   * @throws StoreException if there is something already
   */
  void checkEmpty() {
    if (!Files.exists(path)) {
      return;
    }
    try (Stream<Path> entries = Files.list(path)) {
      if (entries.findAny().isPresent()) {
        throw new StoreException(
            "The folder " + path + " for a new database is not empty; empty it first.", null);
      }
    } catch (IOException e) {
      throw new StoreException("The folder " + path + " cannot be read: " + e + ".", e);
    }
  }

  /**
   * Checks that a database is here and was closed properly. Neo4j itself takes a truncated file for
   * one that was open when the machine failed, and goes on with what is left of it.
   *
   * @param recover whether it need not have been closed: Neo4j mends it from its log then
   * @throws StoreException if it is missing, damaged, of another version or in use
   */
  void check(boolean recover) {
    if (path.toString().contains(",")) {
      throw new StoreException(
          "The path " + path + " has a comma, with which NeoEMF cannot open it; use another.",
          null);
    }
    if (!Files.isRegularFile(path.resolve("neostore"))) {
      throw new StoreException("No NeoEMF database in " + path + "; load it first.", null);
    }
    try {
      if (isLocked()) {
        throw inUse(null);
      }
      if (recover) {
        return;
      }
      for (Map.Entry<String, String> store : STORES.entrySet()) {
        check(path.resolve(store.getKey()), store.getValue());
      }
    } catch (IOException e) {
      throw new StoreException("The database in " + path + " cannot be read: " + e + ".", e);
    }
  }

  /** Whether another process has it open; its files are not complete meanwhile. */
  private boolean isLocked() throws IOException {
    Path file = path.resolve(StoreLocker.STORE_LOCK_FILENAME);
    if (!Files.exists(file)) {
      return false;
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      return lock == null;
    } catch (OverlappingFileLockException e) {
      return true;
    }
  }

  StoreException inUse(Throwable cause) {
    return new StoreException(
        "The database in "
            + path
            + " is in use or its folder cannot be written; end what uses it, or open a copy.",
        cause);
  }

  private void check(Path file, String type) throws IOException {
    String expected = type + ' ' + LAYOUT;
    String end = end(file, expected.length());
    if (end.equals(expected)) {
      return;
    }
    if (end.startsWith(type + " v")) {
      throw new StoreException(
          "The database in "
              + path
              + " is of Neo4j's layout "
              + end.substring(type.length() + 1)
              + " and this is "
              + LAYOUT
              + "; load it again.",
          null);
    }
    throw new StoreException(
        "The database in "
            + path
            + " is damaged or was not closed: "
            + file.getFileName()
            + " is not complete; load it again.",
        null);
  }

  private static String end(Path file, int length) throws IOException {
    if (!Files.isRegularFile(file) || Files.size(file) < length) {
      return "";
    }
    byte[] end = new byte[length];
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      in.seek(in.length() - length);
      in.readFully(end);
    }
    return new String(end, StandardCharsets.UTF_8);
  }

  /**
   * NeoEMF's options for opening the database where it is now. NeoEMF keeps the folder's path in
   * the folder, so a copied database would open the original; options go before what is kept.
   */
  Map<String, Object> options(StoreOptions options) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put(
        BlueprintsNeo4jResourceOptions.GRAPH_TYPE, BlueprintsNeo4jResourceOptions.GRAPH_TYPE_NEO4J);
    all.put(DIRECTORY, path.toString());
    all.put(CONF + "store_dir", path.toString());
    all.put(BlueprintsNeo4jResourceOptions.CACHE_TYPE, options.cacheType());
    all.putAll(mappedMemory(options.cacheMegabytes()));
    return all;
  }

  /** Shares the memory among the files by their sizes; none gets more than it has use for. */
  private Map<String, Object> mappedMemory(int megabytes) {
    Map<String, Object> memory = new LinkedHashMap<>();
    long[] sizes = new long[MAPPED.length];
    long total = 0;
    for (int i = 0; i < MAPPED.length; i++) {
      sizes[i] = (path.resolve(MAPPED[i]).toFile().length() >> 20) + 1;
      total += sizes[i];
    }
    double share = Math.min(1, (double) (megabytes - MAPPED.length) / total);
    for (int i = 0; i < MAPPED.length; i++) {
      memory.put(CONF + MAPPED[i] + ".mapped_memory", 1 + (long) (sizes[i] * share) + "M");
    }
    return memory;
  }

  /**
   * Writes NeoEMF's settings; the folder's path is left for NeoEMF to fill in where it opens it.
   */
  void writeSettings() throws IOException {
    Files.writeString(
        path.resolve(GRAPH_SETTINGS),
        BlueprintsNeo4jResourceOptions.GRAPH_TYPE
            + " = "
            + BlueprintsNeo4jResourceOptions.GRAPH_TYPE_NEO4J
            + "\n");
    Files.writeString(path.resolve(NEOEMF_SETTINGS), "backend = blueprints\n");
  }
}
