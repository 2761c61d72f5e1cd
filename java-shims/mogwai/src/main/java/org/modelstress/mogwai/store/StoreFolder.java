package org.modelstress.mogwai.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.eclipse.emf.ecore.EObject;
import org.modelstress.harness.server.SealedFolder;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ToolServer.Progress;
import org.modelstress.models.ModelException;
import org.neo4j.kernel.Version;

/** The folder of a loaded store: a NeoEMF database and {@code ids.mssf}, sealed. */
public final class StoreFolder {
  /** Bumped whenever stores of an older version can no longer be served. */
  private static final int VERSION = 1;

  private static final String NEOEMF_VERSION = "1.0.2";
  private static final String GRAPH = "graph";

  private final SealedFolder folder;

  /** A store that is there or is to be loaded. */
  public StoreFolder(Path folder) {
    this.folder =
        new SealedFolder(
            folder,
            VERSION,
            Map.of("NeoEMF", NEOEMF_VERSION, "Neo4j", Version.getKernel().getReleaseVersion()));
  }

  /**
   * Loads a model; a load that fails leaves no store, and can be repeated.
   *
   * @param modelSha256 hash of the model file, hexadecimal
   * @throws ModelException if the model has something that NeoEMF cannot store
   * @throws StoreException if the files cannot be written
   * @throws IOException likewise
   */
  public void load(EObject root, String modelSha256, Progress progress)
      throws ModelException, IOException {
    Path loading = folder.beginLoad();
    boolean loaded = false;
    try {
      int elements =
          BulkLoader.load(
              root,
              loading.resolve(GRAPH),
              loading.resolve(SealedFolder.IDS),
              modelSha256,
              progress);
      folder.endLoad(modelSha256, elements, Map.of());
      loaded = true;
    } finally {
      if (!loaded) {
        folder.abandonLoad();
      }
    }
  }

  /**
   * Copies the store into another folder, which is emptied first, and checks it on the way.
   *
   * @return folder of the copied database, for {@link NeoEmfGraph#open}
   * @throws ServerException STORE if the store is missing, damaged or of another version
   */
  public Path copyTo(Path target) throws ServerException, IOException {
    folder.copyTo(target);
    return target.resolve(GRAPH);
  }
}
