package org.modelstress.topology.store;

import java.io.IOException;
import java.nio.file.Path;

/** A kind of database server: one that this project starts itself, or one that is there. */
public interface Database {
  /** What there is. */
  String NAMES = "postgresql, h2 or postgresql-external";

  /** The kind of a name; null where there is none. */
  static Database of(String name) {
    return switch (name == null ? "" : name) {
      case "postgresql" -> new Postgres();
      case "h2" -> new H2();
      case "postgresql-external" -> new ExternalPostgres(System.getenv(ExternalPostgres.VARIABLE));
      default -> null;
    };
  }

  /** Its name. */
  String name();

  /** Its version: data of another one is not opened. */
  String version() throws StoreException;

  /** Whether it has programs that have to be somewhere. */
  default boolean hasPrograms() {
    return false;
  }

  /** Writes its programs to a file. */
  default void packPrograms(Path file) throws IOException {
    // there are none
  }

  /**
   * Puts its programs into a folder, before anything else is asked of it.
   *
   * @param packed file of {@link #packPrograms}; null: those that come with this project
   */
  void prepare(Path folder, Path packed) throws StoreException, IOException;

  /** Makes a new folder with an empty database. */
  void create(Path data, String name) throws StoreException;

  /** Writes the folder of a database that is not served to a file. */
  default void pack(Path data, Path file) throws IOException {
    Tar.pack(data, file);
  }

  /** The folder of a file that {@link #pack} wrote. */
  default void unpack(Path file, Path data) throws StoreException, IOException {
    Tar.unpack(file, data);
  }

  /**
   * Starts a server.
   *
   * @param data folder of the database; what a server that was killed left there is mended
   * @param bind address to listen on
   * @param port 0: any that is free
   * @param name of the database
   */
  StoreServer start(Path data, String bind, int port, String name) throws StoreException;

  /** Gives back what the folder stands for elsewhere; whoever asks deletes the folder itself. */
  default void discard(Path data) throws StoreException {
    // all of it is in the folder
  }
}
