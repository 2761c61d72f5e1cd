package org.modelstress.metadata.tool;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.modelstress.databases.Database;
import org.modelstress.databases.DatabaseException;
import org.modelstress.databases.DatabaseServer;
import org.modelstress.databases.PackedDatabases;
import org.modelstress.databases.Tuning;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.server.Stores;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.population.PopulationDataset;
import org.modelstress.metadata.population.PopulationLoader;

/**
 * A loaded store of the harness. Most are one packed file, of which every start gets a copy. Those
 * that are too large for that (dataset parameter {@code in_place}) stay where they were loaded; one
 * start at a time uses them, and only reads. Loading these goes on where it was interrupted.
 */
final class LoadedStore {
  /** The only database. */
  static final String NAME = "database";

  private static final int VERSION = 1;
  private static final String PROGRAMS = "programs.tar";
  private static final String TEMPORARY = "temporary";
  private static final String IN_PLACE = "in-place.json";
  private static final String DATA = "data";
  private static final long END_SECONDS = 600;
  private static final long LARGE = 1_000_000;
  private static final int SMALL_MIB = 128;
  private static final int LARGE_MIB = 2_048;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path folder;
  private final Database database;
  private final PackedDatabases packed;

  LoadedStore(Path folder, Database database) throws DatabaseException {
    this.folder = folder;
    this.database = database;
    this.packed = new PackedDatabases(folder, VERSION, database);
  }

  static void load(ServerConfig config, Settings settings, ToolServer.Progress progress)
      throws ServerException, DatabaseException, MetadataException, SQLException, IOException {
    PopulationDataset dataset;
    try {
      dataset = PopulationDataset.of(config.dataset().name(), config.dataset().parameters());
    } catch (IllegalArgumentException e) {
      throw new ServerException(Exit.MODEL, e.getMessage(), e);
    }
    // nobody measures what loading takes, and whoever interrupts it loads anew or goes on
    Tuning tuning = new Tuning(false, dataset.objects() < LARGE ? SMALL_MIB : LARGE_MIB);
    LoadedStore store = new LoadedStore(config.requiredStore(), Settings.database(config, tuning));
    if (dataset.inPlace()) {
      store.loadInPlace(dataset, settings, progress);
    } else {
      store.packed.<MetadataException>load(
          List.of(NAME),
          dataset + " of " + settings.attributes() + " attributes",
          dataset.objects(),
          folder -> {
            store.database.create(folder.resolve(NAME), NAME);
            store.fill(folder.resolve(NAME), dataset, settings, progress);
          });
    }
  }

  private void loadInPlace(
      PopulationDataset dataset, Settings settings, ToolServer.Progress progress)
      throws DatabaseException, MetadataException, SQLException, IOException {
    Files.createDirectories(folder);
    Files.deleteIfExists(folder.resolve(IN_PLACE));
    Path programs = folder.resolve(PROGRAMS);
    database.prepare(folder.resolve(TEMPORARY), Files.exists(programs) ? programs : null);
    if (database.hasPrograms() && !Files.exists(programs)) {
      Path packed = folder.resolve(PROGRAMS + ".part");
      database.packPrograms(packed);
      Files.move(packed, programs, StandardCopyOption.ATOMIC_MOVE);
    }
    Path created = folder.resolve(DATA + ".created");
    if (!Files.exists(created)) {
      Stores.delete(data());
      database.create(data(), NAME);
      Files.createFile(created);
    }
    fill(data(), dataset, settings, progress);
    Map<String, Object> description =
        Map.of(
            "version", VERSION,
            "backend", database.name(),
            "backend_version", database.version(),
            "dataset", dataset.toString());
    Path written = folder.resolve(IN_PLACE + ".part");
    JSON.writeValue(written.toFile(), description);
    Files.move(written, folder.resolve(IN_PLACE), StandardCopyOption.ATOMIC_MOVE);
    Stores.delete(folder.resolve(TEMPORARY));
  }

  private void fill(
      Path data, PopulationDataset dataset, Settings settings, ToolServer.Progress progress)
      throws DatabaseException, MetadataException, SQLException {
    DatabaseServer server = database.start(data, "127.0.0.1", 0, NAME);
    try {
      PopulationLoader.load(
          server.jdbc(),
          settings.layout(),
          settings.indexes(),
          settings.attributes(),
          dataset,
          done -> progress.at(done, dataset.objects()));
    } finally {
      server.endWithin(END_SECONDS);
    }
  }

  boolean isInPlace() {
    return Files.exists(folder.resolve(IN_PLACE)) || Files.exists(folder.resolve(DATA));
  }

  Path data() {
    return folder.resolve(DATA);
  }

  /** Programs of the database of a store in its place, or null. */
  Path programs() {
    return database.hasPrograms() ? folder.resolve(PROGRAMS) : null;
  }

  /** The store, where it is not in its place. */
  PackedDatabases packed() {
    return packed;
  }

  /** Takes the store for this process alone, until what is given back is closed. */
  AutoCloseable use() throws ServerException, DatabaseException, IOException {
    Path description = folder.resolve(IN_PLACE);
    if (!Files.exists(description)) {
      throw new ServerException(
          Exit.STORE, "store " + folder + " is not loaded to its end; load it again", null);
    }
    JsonNode known = JSON.readTree(description.toFile());
    if (known.path("version").asInt() != VERSION
        || !known.path("backend").asText().equals(database.name())
        || !known.path("backend_version").asText().equals(database.version())) {
      throw new ServerException(
          Exit.STORE, "store " + folder + " is of another version; load it again", null);
    }
    FileChannel lock =
        FileChannel.open(
            folder.resolve("in-use.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (!isLocked(lock)) {
      lock.close();
      throw new ServerException(
          Exit.STORE, "store " + folder + " is in use by another start; wait for its end", null);
    }
    return lock;
  }

  private static boolean isLocked(FileChannel lock) throws IOException {
    try {
      return lock.tryLock() != null;
    } catch (OverlappingFileLockException e) { // this process has it
      return false;
    }
  }
}
