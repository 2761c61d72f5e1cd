package org.modelstress.thrift.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.hawk.api.FailedQuery;
import org.modelstress.queries.Cancellation;
import org.modelstress.queries.QueryCancelledException;

/** Of the queries in a small heap that is nearly full the largest ends, and the others go on. */
@Timeout(120)
class HeapWatchTest {
  private static final int MIB = 1 << 20;
  private static final int HEAP = 128;
  private static final int HALF = 56;

  @ParameterizedTest
  @ValueSource(strings = {"-XX:+UseG1GC", "-XX:+UseSerialGC", "-XX:+UseParallelGC"})
  void theQueryThatFillsTheHeapEnds(String collector, @TempDir Path folder) throws Exception {
    assertEquals(
        List.of(
            "half full: goes on",
            "nearly full: the query was cancelled: it needs more memory than the server has",
            "small: answered",
            "afterwards: answered"),
        said(collector, folder));
  }

  private static List<String> said(String collector, Path folder) throws Exception {
    Path out = folder.resolve("out");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xms" + HEAP + "m",
                "-Xmx" + HEAP + "m",
                "-XX:+ExitOnOutOfMemoryError",
                "-Xmn24m", // so that what fills the heap is in the watched pool
                collector,
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    try {
      assertTrue(process.waitFor(100, TimeUnit.SECONDS), "the child does not end");
      return Files.readAllLines(out);
    } finally {
      process.destroyForcibly();
    }
  }

  /** A server's queries without a server. */
  static final class Child {
    private final QueriesUnderWay queries = new QueriesUnderWay(ApiOptions.of(Map.of()));
    private final Cancellation large = new Cancellation();
    private final Cancellation small = new Cancellation();
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile int wantedMib;
    private volatile int heldMib;

    /** Holds as many MiB as are wanted, until cancelled. */
    private String fill() throws QueryCancelledException {
      List<byte[]> held = new ArrayList<>();
      while (!large.isCancelled()) {
        if (heldMib < wantedMib) {
          for (int i = 0; i < 16; i++) { // small parts: none of them is G1's humongous kind
            held.add(new byte[MIB / 16]);
          }
          heldMib++;
        } else {
          pause();
        }
      }
      throw new QueryCancelledException();
    }

    private String wait(CountDownLatch end) throws QueryCancelledException {
      while (end.getCount() > 0) {
        if (small.isCancelled()) {
          throw new QueryCancelledException();
        }
        pause();
      }
      return "answered";
    }

    private static void pause() {
      try {
        Thread.sleep(5);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    private String outcome(Cancellation cancellation, QueriesUnderWay.Work<String> work) {
      try {
        return queries.run(cancellation, work);
      } catch (FailedQuery e) {
        return e.getReason();
      } catch (Exception e) {
        return e.toString();
      }
    }

    private void fillTo(int mib) {
      wantedMib = mib;
      while (heldMib < mib && !large.isCancelled()) {
        pause();
      }
      System.gc(); // it counts what is in use after a collection
      queries.tidy();
    }

    private void run() throws Exception {
      ExecutorService threads = Executors.newCachedThreadPool();
      Future<String> filling = threads.submit(() -> outcome(large, this::fill));
      Future<String> waiting = threads.submit(() -> outcome(small, () -> wait(over)));
      fillTo(HALF);
      System.out.println("half full: " + (large.isCancelled() ? "cancelled" : "goes on"));
      for (int mib = HALF; mib < HEAP && !large.isCancelled(); mib += 2) {
        fillTo(
            mib); // what is watched is smaller than the heap, and how much depends on the collector
      }
      System.out.println("nearly full: " + filling.get());
      System.gc();
      queries.tidy();
      over.countDown();
      System.out.println("small: " + waiting.get());
      System.out.println("afterwards: " + outcome(new Cancellation(), () -> "answered"));
      System.exit(0);
    }

    /** Prints what becomes of two queries. */
    public static void main(String[] arguments) throws Exception {
      new Child().run();
    }
  }
}
