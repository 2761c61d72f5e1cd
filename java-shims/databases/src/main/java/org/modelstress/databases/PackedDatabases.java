package org.modelstress.databases;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Map;
import org.modelstress.harness.server.SealedFolder;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.Stores;

/**
 * A loaded store of the harness that is made of databases: a packed file for each, and one with the
 * programs of their servers, so that a node does not unpack them as they come with the project.
 */
public final class PackedDatabases {
  private static final String PROGRAMS = "programs.tar";
  private static final String TEMPORARY = "temporary";

  private final Database database;
  private final SealedFolder sealed;

  /**
   * A store that is there or is to be loaded.
   *
   * @param version of what the tool has in its databases
   */
  public PackedDatabases(Path store, int version, Database database) throws DatabaseException {
    this.database = database;
    this.sealed = new SealedFolder(store, version, Map.of(database.name(), database.version()));
  }

  /** Creates databases in folders of their names, and ends their servers. */
  @FunctionalInterface
  public interface Fill<E extends Exception> {
    void in(Path folder) throws E, DatabaseException, SQLException;
  }

  /**
   * Loads the store; what fails leaves none.
   *
   * @param names of the databases
   * @param dataset that they are filled with, in words
   * @param objects how many it has
   */
  public <E extends Exception> void load(
      Collection<String> names, String dataset, long objects, Fill<E> fill)
      throws E, DatabaseException, SQLException, IOException {
    Path loading = sealed.beginLoad();
    boolean ended = false;
    try {
      Path temporary = Files.createDirectory(loading.resolve(TEMPORARY));
      database.prepare(temporary, null);
      fill.in(temporary);
      for (String name : names) {
        database.pack(temporary.resolve(name), loading.resolve(file(name)));
      }
      if (database.hasPrograms()) {
        database.packPrograms(loading.resolve(PROGRAMS));
      }
      Stores.delete(temporary);
      sealed.endLoad(Sha256.of(dataset), objects, Map.of("dataset", dataset));
      ended = true;
    } finally {
      if (!ended) {
        sealed.abandonLoad();
      }
    }
  }

  private static String file(String name) {
    return name + ".tar";
  }

  /**
   * Puts programs and a copy of a database where a node works; a copy that a killed node left
   * stays.
   *
   * @param name of the database
   * @param data folder of the copy
   * @param there whether it is left
   */
  void prepare(String name, Path work, Path data, boolean there)
      throws ServerException, DatabaseException, IOException {
    database.prepare(work, database.hasPrograms() ? sealed.checked(PROGRAMS) : null);
    if (!there) {
      database.unpack(sealed.checked(file(name)), data);
    }
  }
}
