package org.modelstress.harness.client;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AllocationTest {
  @TempDir Path folder;

  /**
   * The harness allocates one Operation per execution (40 bytes at most), before the clock starts;
   * so nothing is left that it could allocate while a clock runs.
   */
  @Test
  void anExecutionCostsOneOperationObject() throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    AtomicLong first = new AtomicLong();
    AtomicLong last = new AtomicLong();
    int executions = 200_000;
    int from = 50_000; // by then everything that is allocated once has been
    TestDriver driver =
        new TestDriver(
            o -> {
              if (o.sequence() == from) {
                first.set(threads.getCurrentThreadAllocatedBytes());
              } else if (o.sequence() == executions - 1) {
                last.set(threads.getCurrentThreadAllocatedBytes());
              }
              return TestDriver.OK;
            });
    new Bench(
            folder,
            driver,
            1,
            """
            {"operations": [{"name": "A"}, {"name": "B"}], "executions": %d, "timeout_ms": 1000,
             "warmup": {"executions": 0, "seconds": 0}, "connection": "reused"}
            """
                .formatted(executions))
        .run();
    double perExecution = (last.get() - first.get()) / (double) (executions - 1 - from);
    assertTrue(perExecution >= 16 && perExecution <= 44, perExecution + " bytes per execution");
  }
}
