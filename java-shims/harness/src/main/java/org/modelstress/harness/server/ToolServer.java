package org.modelstress.harness.server;

import java.util.Map;

/**
 * The server side of a tool, or of one of its nodes ({@link ServerConfig#node}): what a tool
 * builder writes; {@link ServerMain} does the rest.
 */
public interface ToolServer {
  /**
   * Populates {@code config.store()} from {@code config.model()} or {@code config.dataset()}, and
   * writes {@code ids.mssf} there if the workload asks for identifiers. Restartable: whatever an
   * interrupted load left in the folder is replaced. Never called for a node without a store.
   *
   * @param progress receives how much is done and how much there is, for the log
   * @throws ServerException with the exit code that tells why
   */
  void load(ServerConfig config, Progress progress) throws ServerException;

  /**
   * Opens a private copy of the store, or an empty store if {@code config.store()} is null, and
   * starts to answer.
   *
   * @throws ServerException with the exit code that tells why
   */
  Running serve(ServerConfig config) throws ServerException;

  /** A server that answers. */
  interface Running extends AutoCloseable {
    /** Protocol to address, as in {@code tcp → tcp://127.0.0.1:2036}. */
    Map<String, String> endpoints();

    /** Stops answering and frees everything; bounded by the caller's deadline. */
    @Override
    void close();
  }

  /** Told how far a load has come. */
  interface Progress {
    /** Elements or other units done so far, of so many. */
    void at(long done, long total);
  }
}
