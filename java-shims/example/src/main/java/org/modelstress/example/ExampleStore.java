package org.modelstress.example;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.harness.server.SealedFolder;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.ModelDescription;
import org.modelstress.models.ModelException;
import org.modelstress.models.ModelSource;

/** A loaded store: a copy of the model's files and the id map, in a folder with checksums. */
final class ExampleStore {
  private static final int VERSION = 2;
  private static final String FILES = "model";

  private ExampleStore() {}

  private static SealedFolder folder(Path store) {
    return new SealedFolder(store, VERSION, Map.of());
  }

  /** Fills the folder; whatever stood there is replaced. */
  static void write(Path model, Path store) throws ServerException {
    ModelSource source = read(model, Exit.MODEL);
    SealedFolder folder = folder(store);
    try {
      try {
        fill(folder.beginLoad(), model, source, folder);
      } catch (IOException | RuntimeException e) {
        folder.abandonLoad();
        throw e;
      }
    } catch (IOException e) {
      throw new ServerException(Exit.INTERNAL, "cannot write store " + store + ": " + e, e);
    }
  }

  private static void fill(Path loading, Path model, ModelSource source, SealedFolder folder)
      throws IOException {
    for (String file : files(model)) {
      Path copy = loading.resolve(FILES).resolve(file);
      Files.createDirectories(copy.getParent());
      Files.copy(model.resolveSibling(file), copy);
    }
    int elements = new ElementIndex(source.roots()).size();
    try (IdsFile.Writer ids = IdsFile.ofLongs(loading.resolve(SealedFolder.IDS))) {
      for (long index = 0; index < elements; index++) {
        ids.put(index, index); // a real store has identifiers of its own
      }
    }
    Map<String, Object> details = Map.of(FILES, model.getFileName().toString());
    folder.endLoad(source.sha256(), elements, details);
  }

  /** The file itself, or {@code model.json} and all that it names, relative to its folder. */
  private static List<String> files(Path model) throws IOException {
    List<String> files = new ArrayList<>(List.of(model.getFileName().toString()));
    if (ModelDescription.isNamedBy(model)) {
      ModelDescription named = new ObjectMapper().readValue(model.toFile(), ModelDescription.class);
      named.metamodels().forEach(each -> files.add(each.path()));
      named.files().forEach(each -> files.add(each.path()));
    }
    return files;
  }

  /** Copies a store to a folder of the server's own and reads the model there. */
  static ModelSource open(Path store, Path copy, boolean resume) throws ServerException {
    SealedFolder folder = folder(store);
    try {
      folder.copyTo(copy, resume);
      String name = String.valueOf(folder.describe().details().get(FILES));
      return read(copy.resolve(FILES).resolve(name), Exit.STORE);
    } catch (IOException e) {
      throw new ServerException(Exit.INTERNAL, "cannot copy store " + store + ": " + e, e);
    }
  }

  private static ModelSource read(Path model, Exit exit) throws ServerException {
    try {
      return ModelSource.read(model);
    } catch (ModelException e) {
      throw new ServerException(exit, e.getMessage(), e);
    }
  }
}
