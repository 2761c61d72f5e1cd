package org.modelstress.harness.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import org.modelstress.harness.server.ServerException.Exit;

/**
 * The folder of a loaded store: the tool's files, with {@code ids.mssf} among them where the
 * workload asks for identifiers, and {@code store.json}, which has a checksum of each and is
 * written last, so that a folder without it is no store. Files are loaded into a folder inside of
 * it first, and moved when they are complete.
 */
public final class SealedFolder {
  /** Name of the file with the elements' identifiers. */
  public static final String IDS = "ids.mssf";

  private static final String DESCRIPTION = "store.json";
  private static final String LOADING = "loading";
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  /**
   * Content of {@code store.json}.
   *
   * @param version of the tool's files
   * @param components what else has to be the same to serve them, as in {@code h2 → 1.4.200}
   * @param modelSha256 hash of what was loaded, such as a model file, hexadecimal
   * @param elements how many elements were loaded, a model's root included
   * @param details what more the tool wants to know when it serves
   * @param files size and checksum of every file, by name relative to the folder
   */
  public record Description(
      int version,
      Map<String, String> components,
      String modelSha256,
      long elements,
      Map<String, Object> details,
      Map<String, FileSum> files) {}

  /**
   * How to recognise a file.
   *
   * @param bytes its size
   * @param crc32c its checksum
   */
  public record FileSum(long bytes, long crc32c) {}

  private final Path folder;
  private final int version;
  private final Map<String, String> components;

  /**
   * A store that is there or is to be loaded.
   *
   * @param version bumped whenever stores of an older version can no longer be served
   * @param components what else has to be the same to serve a store, by name
   */
  public SealedFolder(Path folder, int version, Map<String, String> components) {
    this.folder = folder;
    this.version = version;
    this.components = new TreeMap<>(components);
  }

  /** An empty folder to load into; what an interrupted load left is gone. */
  public Path beginLoad() throws IOException {
    Files.createDirectories(folder);
    Files.deleteIfExists(folder.resolve(DESCRIPTION));
    Path loading = folder.resolve(LOADING);
    Stores.delete(loading);
    return Files.createDirectory(loading);
  }

  /**
   * Makes the loaded files the store.
   *
   * @param modelSha256 hash of what was loaded, such as a model file, hexadecimal
   * @param elements how many elements were loaded, a model's root included
   * @param details for {@link #describe}; what Jackson can write
   */
  public void endLoad(String modelSha256, long elements, Map<String, Object> details)
      throws IOException {
    Path loading = folder.resolve(LOADING);
    Description description =
        new Description(version, components, modelSha256, elements, details, sums(loading));
    List<Path> loaded;
    try (Stream<Path> entries = Files.list(loading)) {
      loaded = entries.toList();
    }
    for (Path entry : loaded) {
      Path target = folder.resolve(entry.getFileName());
      Stores.delete(target);
      Files.move(entry, target);
    }
    Path written = loading.resolve(DESCRIPTION);
    JSON.writeValue(written.toFile(), description);
    Files.move(written, folder.resolve(DESCRIPTION), StandardCopyOption.REPLACE_EXISTING);
    Stores.delete(loading);
  }

  private static Map<String, FileSum> sums(Path loading) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(loading)) {
      files = all.filter(Files::isRegularFile).toList();
    }
    Map<String, FileSum> sums = new TreeMap<>();
    for (Path file : files) {
      sums.put(loading.relativize(file).toString(), sum(file, OutputStream.nullOutputStream()));
    }
    return sums;
  }

  /** Removes what a failed load left. */
  public void abandonLoad() throws IOException {
    Stores.delete(folder.resolve(LOADING));
  }

  /**
   * Copies the store's files into another folder, which is emptied first, and checks them on the
   * way.
   *
   * @param resume leave the folder as a server that was killed left it, if there is one: opening it
   *     has to mend what is broken in it
   * @throws ServerException STORE if one is missing, damaged or of another version
   */
  public void copyTo(Path target, boolean resume) throws ServerException, IOException {
    Description expected = describe();
    if (resume && Files.isDirectory(target)) {
      return;
    }
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

  /**
   * A file of the store, after it was checked; for stores of which a server needs only a part.
   *
   * @throws ServerException STORE if it is not there, damaged or of another version
   */
  public Path checked(String name) throws ServerException, IOException {
    FileSum expected = describe().files().get(name);
    Path file = folder.resolve(name);
    if (expected == null) {
      throw damaged("it has no " + name);
    }
    complete(file, name, expected);
    compare(sum(file, OutputStream.nullOutputStream()), name, expected);
    return file;
  }

  private void complete(Path file, String name, FileSum expected)
      throws ServerException, IOException {
    if (!Files.isRegularFile(file) || Files.size(file) != expected.bytes()) {
      throw damaged(name + " is missing or truncated");
    }
  }

  private void copy(Path from, Path to, String name, FileSum expected)
      throws ServerException, IOException {
    complete(from, name, expected);
    try (OutputStream out =
        Files.newOutputStream(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      compare(sum(from, out), name, expected);
    }
  }

  /** Size and checksum of a file, whose content is written on meanwhile. */
  private static FileSum sum(Path file, OutputStream to) throws IOException {
    CRC32C crc = new CRC32C();
    try (InputStream in = new CheckedInputStream(Files.newInputStream(file), crc)) {
      long bytes = in.transferTo(to);
      return new FileSum(bytes, crc.getValue());
    }
  }

  private void compare(FileSum found, String name, FileSum expected) throws ServerException {
    if (found.crc32c() != expected.crc32c()) {
      throw damaged("the checksum of " + name + " is wrong");
    }
  }

  /**
   * What {@code store.json} says.
   *
   * @throws ServerException STORE if it is missing, damaged or of another version
   */
  public Description describe() throws ServerException, IOException {
    Path file = folder.resolve(DESCRIPTION);
    if (!Files.isRegularFile(file)) {
      throw new ServerException(
          Exit.STORE, "No loaded store in " + folder + "; run load first.", null);
    }
    Description description;
    try {
      JsonNode tree = JSON.readTree(file.toFile());
      checkVersion(tree.path("version").asInt(), null);
      description = JSON.treeToValue(tree, Description.class);
    } catch (JsonProcessingException e) {
      throw damaged(DESCRIPTION + " is not understood");
    }
    if (description.components() == null
        || description.details() == null
        || description.files() == null
        || description.files().containsValue(null)) {
      throw damaged(DESCRIPTION + " is not complete");
    }
    checkVersion(description.version(), description.components());
    return description;
  }

  private void checkVersion(int found, Map<String, String> foundComponents) throws ServerException {
    if (found != version || foundComponents != null && !foundComponents.equals(components)) {
      throw new ServerException(
          Exit.STORE,
          String.format(
              "Store %s is of version %s and this is version %s; load it again.",
              folder, text(found, foundComponents), text(version, components)),
          null);
    }
  }

  private static String text(int version, Map<String, String> components) {
    return components == null
        ? Integer.toString(version)
        : components.entrySet().stream()
            .map(each -> each.getKey() + " " + each.getValue())
            .collect(Collectors.joining(", ", version + " (", ")"));
  }

  /**
   * The exception for a store that cannot be served as it is.
   *
   * @param how it is damaged, without a full stop
   */
  public ServerException damaged(String how) {
    return new ServerException(
        Exit.STORE, "Store " + folder + " is damaged: " + how + "; load it again.", null);
  }
}
