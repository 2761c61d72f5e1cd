package org.modelstress.hawk.server;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.modelstress.harness.server.SealedFolder;
import org.modelstress.harness.server.ServerException;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.index.IndexFolder;

/** The folder of a loaded store: the files of an index ({@link IndexFolder}), sealed. */
final class StoreFolder {
  /** Bumped whenever stores of an older version can no longer be served. */
  private static final int VERSION = 2;

  private static final String ATTRIBUTES = "attributes";
  private static final String VALUES = "values";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final SealedFolder folder;

  StoreFolder(Path folder, Backend backend) {
    this.folder = new SealedFolder(folder, VERSION, Map.of(backend.name(), backend.version()));
  }

  /** An empty index to load into; what an interrupted load left is gone. */
  IndexFolder beginLoad() throws IOException {
    return new IndexFolder(folder.beginLoad());
  }

  /**
   * Makes the loaded files the store.
   *
   * @param elements elements of the model, the root included
   * @param values values of indexed and derived attributes
   */
  void endLoad(
      String modelSha256, List<AttributeDeclaration> attributes, long elements, long values)
      throws IOException {
    folder.endLoad(modelSha256, elements, Map.of(ATTRIBUTES, attributes, VALUES, values));
  }

  /** Removes what a failed load left. */
  void abandonLoad() throws IOException {
    folder.abandonLoad();
  }

  /**
   * Copies the index into another folder, which is emptied first, and checks it on the way.
   *
   * @param resume see {@link SealedFolder#copyTo}
   * @throws ServerException STORE if it is missing, damaged or of another version
   */
  void copyTo(Path target, boolean resume) throws ServerException, IOException {
    folder.copyTo(target, resume);
  }

  /**
   * The attributes that were declared when the store was loaded.
   *
   * @throws ServerException STORE if it is missing, damaged or of another version
   */
  List<AttributeDeclaration> attributes() throws ServerException, IOException {
    Object attributes = folder.describe().details().get(ATTRIBUTES);
    try {
      return List.copyOf(
          JSON.convertValue(attributes, new TypeReference<List<AttributeDeclaration>>() {}));
    } catch (IllegalArgumentException | NullPointerException e) {
      throw folder.damaged(ATTRIBUTES + " in store.json are not understood");
    }
  }
}
