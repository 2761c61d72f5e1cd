package org.modelstress.databases;

import java.io.IOException;
import java.nio.file.Path;

/** A kind of database server: one that this project starts itself, or one that is there. */
public interface Database {
  /** The kind of a name, as its makers configure it; null where there is none. */
  static Database of(String name) {
    return of(name, Tuning.DEFAULT);
  }

  /** The kind of a name; null where there is none. */
  static Database of(String name, Tuning tuning) {
    return switch (name == null ? "" : name) {
      case "postgresql" -> new Postgres(tuning);
      case "mariadb" -> new MariaDb(tuning);
      case "h2" -> new H2();
      case "sqlite" -> new Sqlite();
      case "postgresql-external" -> new ExternalPostgres(System.getenv(ExternalPostgres.VARIABLE));
      case "mariadb-external" -> new ExternalMariaDb(System.getenv(ExternalMariaDb.VARIABLE));
      default -> null;
    };
  }

  /** Its name. */
  String name();

  /** Its version: data of another one is not opened. */
  String version() throws DatabaseException;

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
  void prepare(Path folder, Path packed) throws DatabaseException, IOException;

  /** Makes a new folder with an empty database. */
  void create(Path data, String name) throws DatabaseException;

  /** Writes the folder of a database that is not served to a file. */
  default void pack(Path data, Path file) throws IOException {
    Tar.pack(data, file);
  }

  /** The folder of a file that {@link #pack} wrote. */
  default void unpack(Path file, Path data) throws DatabaseException, IOException {
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
  DatabaseServer start(Path data, String bind, int port, String name) throws DatabaseException;

  /**
   * Starts a server whose users cannot change anything, on data that others use after it.
   *
   * @throws DatabaseException also where the kind cannot do that
   */
  default DatabaseServer startReadOnly(Path data, String bind, int port, String name)
      throws DatabaseException {
    throw new DatabaseException(
        name() + " cannot be served in its place; load a dataset without in_place", null);
  }

  /**
   * Where clients who cannot change anything reach a server; where the kind has no users of its
   * own, its address.
   */
  default String readerAddress(Path data, DatabaseServer server) throws DatabaseException {
    return server.address();
  }

  /** Gives back what the folder stands for elsewhere; whoever asks deletes the folder itself. */
  default void discard(Path data) throws DatabaseException {
    // all of it is in the folder
  }
}
