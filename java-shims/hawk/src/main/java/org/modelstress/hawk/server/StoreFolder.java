package org.modelstress.hawk.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.server.Stores;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.index.IndexFolder;

/**
 * The folder of a loaded store: the files of an index ({@link IndexFolder}) and {@code store.json},
 * which is written last, so that a folder without it is no store.
 */
final class StoreFolder {
  /** Bumped whenever stores of an older version can no longer be served. */
  static final int VERSION = 1;

  private static final String DESCRIPTION = "store.json";
  private static final String LOADING = "loading";
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  /**
   * Content of {@code store.json}.
   *
   * @param version {@link #VERSION} of the program that loaded it
   * @param backend name of the backend
   * @param database name and version of the database
   * @param modelSha256 hash of the model file, hexadecimal
   * @param attributes the declared attributes
   * @param elements elements of the model, the root included
   * @param values values of indexed and derived attributes
   * @param files size and checksum of every file, by name relative to the folder
   */
  record Description(
      int version,
      String backend,
      String database,
      String modelSha256,
      List<AttributeDeclaration> attributes,
      long elements,
      long values,
      Map<String, FileSum> files) {}

  /**
   * How to recognise a file.
   *
   * @param bytes its size
   * @param crc32c its checksum
   */
  record FileSum(long bytes, long crc32c) {}

  private final Path folder;
  private final Backend backend;

  StoreFolder(Path folder, Backend backend) {
    this.folder = folder;
    this.backend = backend;
  }

  /** An empty index to load into; what an interrupted load left is gone. */
  IndexFolder beginLoad() throws IOException {
    Files.createDirectories(folder);
    Files.deleteIfExists(folder.resolve(DESCRIPTION));
    Path loading = folder.resolve(LOADING);
    Stores.delete(loading);
    return new IndexFolder(Files.createDirectory(loading));
  }

  /** Makes the loaded files the store. */
  void endLoad(
      String modelSha256, List<AttributeDeclaration> attributes, long elements, long values)
      throws IOException {
    IndexFolder loading = new IndexFolder(folder.resolve(LOADING));
    Path written = loading.path().resolve(DESCRIPTION);
    Description description =
        new Description(
            VERSION,
            backend.name(),
            backend.version(),
            modelSha256,
            attributes,
            elements,
            values,
            sums(loading.path()));
    JSON.writeValue(written.toFile(), description);
    IndexFolder store = new IndexFolder(folder);
    Stores.delete(store.graph());
    Files.move(loading.graph(), store.graph());
    Files.move(loading.ids(), store.ids(), StandardCopyOption.REPLACE_EXISTING);
    Files.move(written, folder.resolve(DESCRIPTION), StandardCopyOption.REPLACE_EXISTING);
    Stores.delete(loading.path());
  }

  private static Map<String, FileSum> sums(Path loading) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(loading)) {
      files = all.filter(Files::isRegularFile).toList();
    }
    Map<String, FileSum> sums = new TreeMap<>();
    for (Path file : files) {
      CRC32C crc = new CRC32C();
      try (InputStream in = new CheckedInputStream(Files.newInputStream(file), crc)) {
        long bytes = in.transferTo(OutputStream.nullOutputStream());
        sums.put(loading.relativize(file).toString(), new FileSum(bytes, crc.getValue()));
      }
    }
    return sums;
  }

  /** Removes what a failed load left. */
  void abandonLoad() throws IOException {
    Stores.delete(folder.resolve(LOADING));
  }

  /**
   * Copies the index into another folder, which is emptied first, and checks it on the way.
   *
   * @throws ServerException STORE if it is missing, damaged or of another version
   */
  void copyTo(Path target) throws ServerException, IOException {
    Description expected = describe();
    Stores.delete(target);
    for (Map.Entry<String, FileSum> each : expected.files().entrySet()) {
      Path to = target.resolve(each.getKey()).normalize();
      if (!to.startsWith(target.normalize())) {
        throw damaged(DESCRIPTION + " names a file outside of it");
      }
      Files.createDirectories(to.getParent());
      copy(folder.resolve(each.getKey()), to, each.getKey(), each.getValue());
    }
  }

  private void copy(Path from, Path to, String name, FileSum expected)
      throws ServerException, IOException {
    if (!Files.isRegularFile(from) || Files.size(from) != expected.bytes()) {
      throw damaged(name + " is missing or truncated");
    }
    CRC32C crc = new CRC32C();
    try (InputStream in = new CheckedInputStream(Files.newInputStream(from), crc)) {
      Files.copy(in, to);
    }
    if (crc.getValue() != expected.crc32c()) {
      throw damaged("the checksum of " + name + " is wrong");
    }
  }

  /**
   * What {@code store.json} says.
   *
   * @throws ServerException STORE if it is missing, damaged or of another version
   */
  Description describe() throws ServerException, IOException {
    Path file = folder.resolve(DESCRIPTION);
    if (!Files.isRegularFile(file)) {
      throw new ServerException(
          Exit.STORE, "No loaded store in " + folder + "; run load first.", null);
    }
    Description description;
    try {
      description = JSON.readValue(file.toFile(), Description.class);
    } catch (JsonProcessingException e) {
      throw damaged(DESCRIPTION + " is not understood");
    }
    if (description.version() != VERSION
        || !backend.name().equals(description.backend())
        || !backend.version().equals(description.database())) {
      throw new ServerException(
          Exit.STORE,
          String.format(
              "Store %s is of version %d (%s) and this is version %d (%s); load it again.",
              folder, description.version(), description.database(), VERSION, backend.version()),
          null);
    }
    if (description.files() == null || description.attributes() == null) {
      throw damaged(DESCRIPTION + " is not complete");
    }
    return description;
  }

  private ServerException damaged(String how) {
    return new ServerException(
        Exit.STORE, "Store " + folder + " is damaged: " + how + "; load it again.", null);
  }
}
