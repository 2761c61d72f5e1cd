package org.modelstress.metadata.check;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

  /** Objects of a part, few versions of them at a time: there may be many of few objects. */
  private Counted look(long from) throws MetadataException {
    long to = from + AT_ONCE - 1;
    int last = service.lastVersion(from, to);
    Map<Long, MetadataObject> before = new HashMap<>();
    Counted all = new Counted(0, 0, null);
    int least = Integer.MIN_VALUE;
    int width = 1;
    for (int version = 1; version <= last && all.wrong() == null; version = least) {
      List<MetadataObject> some = service.range(from, to, least, version + width - 1);
      all = all.with(compared(some, before));
      least = version + width;
      // later versions are of fewer objects, so that the next ones are no more than AT_ONCE
      width = some.size() < AT_ONCE / 2 ? (int) Math.min(2L * width, AT_ONCE) : width;
    }
    return all;
  }

  private static Counted compared(List<MetadataObject> some, Map<Long, MetadataObject> before)
      throws MetadataException {
    long objects = 0;
    long updates = 0;
    for (MetadataObject each : some) {
      if (!Content.isOf(each.type())) {
        continue;
      }
      MetadataObject previous = before.put(each.id(), each);
      int expected = previous == null ? 1 : previous.version() + 1;
      if (each.version() != expected) {
        return new Counted(objects, updates, "object " + each.id() + " has no version " + expected);
      }
      if (previous != null && !each.value(Content.KEY).equals(previous.value(Content.KEY))) {
        return new Counted(
            objects, updates, "object " + each.id() + " has another key in " + each.version());
      }
      String wrong = Content.wrong(each);
      if (wrong != null) {
        return new Counted(objects, updates, wrong);
      }
      objects += previous == null ? 1 : 0;
      updates += previous == null ? 0 : 1;
    }
    return new Counted(objects, updates, null);
  }
}
