package org.modelstress.metadata.check;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataException.Reason;
import org.modelstress.metadata.objects.MetadataObject;
import org.modelstress.metadata.population.Content;
import org.modelstress.metadata.service.LocalService;

/** Reads every version of every object of a store, and compares it with what was written. */
public final class VersionCheck {
  private static final int THREADS = 2;
  private static final long AT_ONCE = 1_000;

  private final LocalService service;

  /**
   * What there is.
   *
   * @param objects how many
   * @param updates versions that are not the first ones
   * @param wrong a sentence; null where everything is right
   */
  public record Counted(long objects, long updates, String wrong) {
    private Counted with(Counted other) {
      return new Counted(
          objects + other.objects, updates + other.updates, wrong == null ? other.wrong : wrong);
    }
  }

  /** A check; the service is not closed. */
  public VersionCheck(LocalService service) {
    this.service = service;
  }

  /** Looks at everything. */
  public Counted look() throws MetadataException {
    long last = service.lastId();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<Counted>> parts =
          LongStream.rangeClosed(0, last / AT_ONCE)
              .mapToObj(part -> threads.submit(() -> look(part * AT_ONCE)))
              .toList();
      Counted all = new Counted(0, 0, null);
      for (Future<Counted> part : parts) {
        all = all.with(part.get());
      }
      return all;
    } catch (ExecutionException e) {
      throw e.getCause() instanceof MetadataException known
          ? known
          : new MetadataException(Reason.FAILED, "the check failed: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MetadataException(Reason.FAILED, "the check was interrupted", e);
    } finally {
      threads.shutdownNow();
    }
  }

  private Counted look(long from) throws MetadataException {
    long objects = 0;
    long updates = 0;
    MetadataObject before = null;
    for (MetadataObject each : service.range(from, from + AT_ONCE - 1)) {
      if (!Content.isOf(each.type())) {
        continue;
      }
      boolean isFirst = before == null || before.id() != each.id();
      int expected = isFirst ? 1 : before.version() + 1;
      if (each.version() != expected) {
        return new Counted(objects, updates, "object " + each.id() + " has no version " + expected);
      }
      if (!isFirst && !each.value(Content.KEY).equals(before.value(Content.KEY))) {
        return new Counted(
            objects, updates, "object " + each.id() + " has another key in " + each.version());
      }
      String wrong = Content.wrong(each);
      if (wrong != null) {
        return new Counted(objects, updates, wrong);
      }
      objects += isFirst ? 1 : 0;
      updates += isFirst ? 0 : 1;
      before = each;
    }
    return new Counted(objects, updates, null);
  }
}
