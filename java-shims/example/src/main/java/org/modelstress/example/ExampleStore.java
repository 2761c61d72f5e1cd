package org.modelstress.example;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import org.eclipse.emf.ecore.EObject;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.server.Stores;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.ModelException;
import org.modelstress.models.ModelFiles;

/** The folder of a loaded store: a copy of the model file, the id map and a seal. */
final class ExampleStore {
  private static final String VERSION = "1";
  private static final String MODEL = "model";
  private static final String IDS = "ids.mssf";

  /** Version and checksum; written last, so that a folder without it is no store. */
  private static final String SEAL = "seal";

  private ExampleStore() {}

  /** Fills the folder; whatever stood there is replaced. */
  static void write(Path model, Path store) throws ServerException {
    long elements = new ElementIndex(read(model, Exit.MODEL)).size();
    try {
      Stores.delete(store);
      Files.createDirectories(store);
      Files.copy(model, store.resolve(MODEL));
      try (IdsFile.Writer ids = IdsFile.ofLongs(store.resolve(IDS))) {
        for (long index = 0; index < elements; index++) {
          ids.put(index, index); // a real store has identifiers of its own
        }
      }
      Files.write(store.resolve(SEAL), List.of(VERSION, checksum(store)));
    } catch (IOException e) {
      throw new ServerException(Exit.INTERNAL, "cannot write store " + store + ": " + e, e);
    }
  }

  /** Reads the model of a {@code copy} of a store, or says what is wrong with the store. */
  static EObject open(Path copy, Path store) throws ServerException {
    String reason = "it was never loaded to its end";
    try {
      List<String> seal = Files.readAllLines(copy.resolve(SEAL));
      if (!seal.get(0).equals(VERSION)) {
        reason = "it is of version " + seal.get(0) + ", not " + VERSION;
      } else if (!seal.get(1).equals(checksum(copy))) {
        reason = "its checksum is wrong";
      } else {
        return read(copy.resolve(MODEL), Exit.STORE);
      }
    } catch (IOException | IndexOutOfBoundsException e) {
      reason += " (" + e.getMessage() + ")";
    }
    throw new ServerException(
        Exit.STORE, "store " + store + " is damaged: " + reason + "; load it again", null);
  }

  private static EObject read(Path model, Exit exit) throws ServerException {
    try {
      return ModelFiles.load(model);
    } catch (ModelException e) {
      throw new ServerException(exit, e.getMessage(), e);
    }
  }

  private static String checksum(Path store) throws IOException {
    CRC32C crc = new CRC32C();
    for (String name : List.of(MODEL, IDS)) {
      try (InputStream in =
          new CheckedInputStream(Files.newInputStream(store.resolve(name)), crc)) {
        in.transferTo(java.io.OutputStream.nullOutputStream());
      }
    }
    return Long.toHexString(crc.getValue());
  }
}
