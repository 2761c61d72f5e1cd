package org.modelstress.queries;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.ArrayList;
import java.util.List;

/** Whether the heap is nearly full of what is in use, and who has filled it. */
public final class HeapWatch {
  private static final double NEARLY_FULL = 0.85;
  private static final int CONSIDERABLE_PART = 4;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final List<MemoryPoolMXBean> pools = new ArrayList<>();

  /** Watches from now on. */
  public HeapWatch() {
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      long most = pool.getUsage().getMax();
      if (pool.getType() == MemoryType.HEAP
          && pool.isCollectionUsageThresholdSupported()
          && most > Runtime.getRuntime().maxMemory() / 2) {
        pool.setCollectionUsageThreshold((long) (NEARLY_FULL * most));
        pools.add(pool);
      }
    }
  }

  /** Whether that was so after the last collection. */
  public boolean isNearlyFull() {
    return pools.stream().anyMatch(MemoryPoolMXBean::isCollectionUsageThresholdExceeded);
  }

  /** Bytes that a thread has allocated so far, whether they are in use or not. */
  public static long allocated(long thread) {
    return THREADS.getThreadAllocatedBytes(thread);
  }

  /** Whether so many bytes can have filled the heap. */
  public static boolean isConsiderable(long bytes) {
    return bytes > Runtime.getRuntime().maxMemory() / CONSIDERABLE_PART;
  }
}
