package org.modelstress.databases;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * SQLite: no server, but a file that processes of one computer open. Its address names the file, so
 * its clients run where its node does (executor {@code process}).
 */
final class Sqlite implements Database {
  private static final String FILE = "database.sqlite";

  private record Opened(String address) implements DatabaseServer {
    @Override
    public void close() {
      // whoever opened the file closes it
    }
  }

  @Override
  public String name() {
    return "sqlite";
  }

  @Override
  public String version() {
    return "3"; // files of all its versions are one format
  }

  @Override
  public void prepare(Path folder, Path packed) {
    // it is a part of the program that opens the file
  }

  @Override
  public void create(Path data, String name) throws DatabaseException {
    try {
      Files.createDirectories(data);
      Files.createFile(data.resolve(FILE)); // an empty file is an empty database
    } catch (IOException e) {
      throw new DatabaseException("cannot write to " + data + ": " + e, e);
    }
  }

  @Override
  public DatabaseServer start(Path data, String bind, int port, String name)
      throws DatabaseException {
    Path file = data.toAbsolutePath().resolve(FILE);
    if (!Files.isWritable(file)) {
      throw new DatabaseException(file + " is not there or cannot be written", null);
    }
    return new Opened(Addresses.ofFile(name(), file));
  }
}
