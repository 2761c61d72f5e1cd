package org.modelstress.mogwai.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.eclipse.emf.ecore.EPackage;
import org.modelstress.harness.server.SealedFolder;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ToolServer.Progress;
import org.modelstress.models.Metamodels;
import org.modelstress.models.ModelException;
import org.modelstress.models.ModelSource;
import org.neo4j.kernel.Version;

/** The folder of a loaded store: a NeoEMF database, its metamodels and {@code ids.mssf}, sealed. */
public final class StoreFolder {
  /** Bumped whenever stores of an older version can no longer be served. */
  private static final int VERSION = 2;

  private static final String NEOEMF_VERSION = "1.0.2";
  private static final String GRAPH = "graph";
  private static final String METAMODELS = "metamodels.ecore";

  /**
   * A copy of a store.
   *
   * @param graph folder of the database
   * @param metamodels of the model and Ecore, by nsURI
   */
  public record Copy(Path graph, EPackage.Registry metamodels) {}

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
   * @throws ModelException if the model has something that NeoEMF cannot store
   * @throws StoreException if the files cannot be written
   * @throws IOException likewise
   */
  public void load(ModelSource model, Progress progress) throws ModelException, IOException {
    Path loading = folder.beginLoad();
    boolean loaded = false;
    try {
      int elements =
          BulkLoader.load(
              model.roots(),
              loading.resolve(GRAPH),
              loading.resolve(SealedFolder.IDS),
              model.sha256(),
              progress);
      Metamodels.write(model.metamodels(), loading.resolve(METAMODELS));
      folder.endLoad(model.sha256(), elements, Map.of());
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
   * @param resume see {@link SealedFolder#copyTo}
   * @throws ServerException STORE if the store is missing, damaged or of another version
   */
  public Copy copyTo(Path target, boolean resume) throws ServerException, IOException {
    folder.copyTo(target, resume);
    try {
      return new Copy(target.resolve(GRAPH), Metamodels.read(target.resolve(METAMODELS)));
    } catch (ModelException e) {
      throw folder.damaged(e.getMessage());
    }
  }
}
