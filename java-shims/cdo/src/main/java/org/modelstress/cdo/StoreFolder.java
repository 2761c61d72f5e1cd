package org.modelstress.cdo;

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
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.server.Stores;

/**
 * The folder of a loaded store: {@code repository.mv.db} (H2), {@code ids.mssf} and {@code
 * store.json}, which is written last, so that a folder without it is no store.
 */
final class StoreFolder {
  /** Bumped whenever stores of an older version can no longer be served. */
  static final int VERSION = 1;

  /** Name of the H2 database, without H2's own extension. */
  static final String DATABASE = "repository";

  static final String IDS = "ids.mssf";

  private static final String DATABASE_FILE = DATABASE + ".mv.db";
  private static final String DESCRIPTION = "store.json";
  private static final String LOADING = "loading";
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  /**
   * Content of {@code store.json}.
   *
   * @param version {@link #VERSION} of the program that loaded it
   * @param cdo version of CDO
   * @param h2 version of H2
   * @param modelSha256 hash of the model file, hexadecimal
   * @param elements elements of the model, the root included
   * @param databaseBytes size of the database file
   * @param databaseCrc32c checksum of the database file
   */
  record Description(
      int version,
      String cdo,
      String h2,
      String modelSha256,
      long elements,
      long databaseBytes,
      long databaseCrc32c) {}

  private final Path folder;

  StoreFolder(Path folder) {
    this.folder = folder;
  }

  /** An empty folder inside the store to load into; what an interrupted load left is gone. */
  Path beginLoad() throws IOException {
    Files.createDirectories(folder);
    Files.deleteIfExists(folder.resolve(DESCRIPTION));
    Path loading = folder.resolve(LOADING);
    Stores.delete(loading);
    return Files.createDirectory(loading);
  }

  /** Makes the loaded files the store. */
  void endLoad(String modelSha256, long elements) throws IOException {
    Path loading = folder.resolve(LOADING);
    Path database = loading.resolve(DATABASE_FILE);
    Description description =
        new Description(
            VERSION,
            CdoRepository.CDO_VERSION,
            CdoRepository.h2Version(),
            modelSha256,
            elements,
            Files.size(database),
            checksum(database));
    Path written = loading.resolve(DESCRIPTION);
    JSON.writeValue(written.toFile(), description);
    for (String name : List.of(DATABASE_FILE, IDS, DESCRIPTION)) {
      Files.move(loading.resolve(name), folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }
    Stores.delete(loading);
  }

  /** Removes what a failed load left. */
  void abandonLoad() throws IOException {
    Stores.delete(folder.resolve(LOADING));
  }

  /**
   * Copies the database into another folder and checks it on the way.
   *
   * @throws ServerException STORE if it is missing, damaged or of another version
   */
  void copyTo(Path target) throws ServerException, IOException {
    Description expected = describe();
    Path database = folder.resolve(DATABASE_FILE);
    if (!Files.isRegularFile(database) || Files.size(database) != expected.databaseBytes()) {
      throw damaged("its database is missing or truncated");
    }
    Files.createDirectories(target);
    CRC32C crc = new CRC32C();
    try (InputStream in = new CheckedInputStream(Files.newInputStream(database), crc)) {
      Files.copy(in, target.resolve(DATABASE_FILE));
    }
    if (crc.getValue() != expected.databaseCrc32c()) {
      throw damaged("the checksum of its database is wrong");
    }
  }

  private Description describe() throws ServerException, IOException {
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
        || !CdoRepository.CDO_VERSION.equals(description.cdo())
        || !CdoRepository.h2Version().equals(description.h2())) {
      throw new ServerException(
          Exit.STORE,
          String.format(
              "Store %s is of version %d (CDO %s, H2 %s) and this is version %d (CDO %s, H2 %s);"
                  + " load it again.",
              folder,
              description.version(),
              description.cdo(),
              description.h2(),
              VERSION,
              CdoRepository.CDO_VERSION,
              CdoRepository.h2Version()),
          null);
    }
    return description;
  }

  private ServerException damaged(String how) {
    return new ServerException(
        Exit.STORE, "Store " + folder + " is damaged: " + how + "; load it again.", null);
  }

  private static long checksum(Path file) throws IOException {
    CRC32C crc = new CRC32C();
    try (InputStream in = new CheckedInputStream(Files.newInputStream(file), crc)) {
      in.transferTo(OutputStream.nullOutputStream());
    }
    return crc.getValue();
  }
}
