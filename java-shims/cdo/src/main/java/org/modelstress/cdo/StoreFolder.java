package org.modelstress.cdo;

import java.nio.file.Path;
import java.util.Map;
import org.modelstress.harness.server.SealedFolder;

/** The folder of a loaded store: {@code repository.mv.db} (H2) and {@code ids.mssf}, sealed. */
final class StoreFolder {
  /** Name of the H2 database, without H2's own extension. */
  static final String DATABASE = "repository";

  /** What H2 wrote about its own errors; not part of a store. */
  static final String TRACE = DATABASE + ".trace.db";

  /** Bumped whenever stores of an older version can no longer be served. */
  private static final int VERSION = 2;

  private StoreFolder() {}

  /** A folder that this version of CDO and H2 can load and serve. */
  static SealedFolder at(Path folder) {
    return new SealedFolder(
        folder, VERSION, Map.of("CDO", CdoRepository.CDO_VERSION, "H2", CdoRepository.h2Version()));
  }
}
