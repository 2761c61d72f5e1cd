package org.modelstress.models;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Runs a step on a stack of its own size. EMF's binary format writes an element where it is first
 * referred to, so reading and writing recurse along chains of references: the ring of tracks of a
 * Train model is one chain through nearly all elements. Memory is taken only as far as it is used.
 */
final class DeepStack {
  private static final long BASE_BYTES = 16 << 20;

  /** Something that reads or writes. */
  interface Step {
    void run() throws IOException;
  }

  private DeepStack() {}

  /**
   * Runs {@code step} and waits for it; throws what it threw, errors such as StackOverflowError
   * included.
   *
   * @param extraBytes stack wanted on top of 16 MiB
   */
  static void run(long extraBytes, Step step) throws IOException {
    CompletableFuture<Void> result = new CompletableFuture<>();
    Runnable body =
        () -> {
          try {
            step.run();
            result.complete(null);
          } catch (Throwable e) {
            result.completeExceptionally(e);
          }
        };
    Thread thread = new Thread(null, body, "deep-stack", BASE_BYTES + extraBytes);
    thread.setDaemon(true);
    thread.start();
    try {
      result.join();
    } catch (CompletionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof IOException failure) {
        throw failure;
      }
      if (cause instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) cause;
    }
  }
}
