package org.modelstress.harness.client;

import java.util.List;
import java.util.Locale;
import org.modelstress.harness.samples.Digest;
import org.modelstress.harness.samples.Phase;
import org.modelstress.harness.spi.Operation;

/**
 * Which operation an execution runs. A function of seed, client, invocation, phase and sequence
 * number alone: whichever thread draws the ticket, and whenever, the plan is the same. Where the
 * workload has an order, every thread goes through it by itself.
 */
final class OperationPlan {
  // streams of random numbers beside those of the warm-up (1) and of the window (2)
  private static final long PACE = 3;
  private static final long SESSIONS = 4;

  private final List<Workload.Entry> entries;
  private final double[] cumulative;
  private final long seed;
  private final String[] before;
  private final String[] after;
  private final String uniqueCondition;
  private final int client;
  private final int[] order;

  OperationPlan(Workload workload) {
    this.entries = workload.operations();
    this.client = workload.client();
    this.seed = seed(workload);
    this.cumulative = new double[entries.size()];
    double sum = 0;
    for (int i = 0; i < cumulative.length; i++) {
      sum += entries.get(i).weight();
      cumulative[i] = sum;
    }
    List<String> names = entries.stream().map(Workload.Entry::name).toList();
    this.order = workload.order().stream().mapToInt(names::indexOf).toArray();
    boolean unique = workload.uniqueCondition() != null;
    this.uniqueCondition = workload.uniqueCondition();
    this.before = new String[entries.size()];
    this.after = new String[entries.size()];
    for (int i = 0; unique && i < entries.size(); i++) {
      String text = entries.get(i).text();
      int at = text.indexOf(Workload.UNIQUE_MARKER);
      before[i] = text.substring(0, at);
      after[i] = text.substring(at + Workload.UNIQUE_MARKER.length());
    }
  }

  /** Seed of everything random in this client process. */
  static long seed(Workload workload) {
    return Digest.mix(
        Digest.mix(Digest.mix(workload.seed()) ^ workload.invocation()) ^ workload.client());
  }

  /**
   * Index of the operation of an execution.
   *
   * @param sequence its number in the phase
   * @param position its number among its thread's executions of the phase
   */
  int indexOf(Phase phase, long sequence, long position) {
    if (order.length > 0) {
      return order[(int) (position % order.length)];
    }
    if (cumulative.length == 1) {
      return 0;
    }
    // cooldown continues the measured numbering, so it shares that stream
    long stream = phase == Phase.WARMUP ? 1 : 2;
    long bits = Digest.mix(Digest.mix(seed ^ stream) ^ sequence);
    double draw = (bits >>> 11) * 0x1.0p-53 * cumulative[cumulative.length - 1];
    int index = 0;
    while (cumulative[index] <= draw) {
      index++;
    }
    return index;
  }

  /**
   * The operation as the driver sees it.
   *
   * @param number differs between all executions of this process
   */
  Operation operation(int index, long sequence, long number) {
    Workload.Entry entry = entries.get(index);
    String text = entry.text();
    if (uniqueCondition != null) {
      long unique = number * Workload.MAX_CLIENTS + client;
      text = before[index] + String.format(Locale.ROOT, uniqueCondition, unique) + after[index];
    }
    return new Operation(entry.name(), text, entry.parameters(), sequence);
  }

  /** Identifiers per match of an operation. */
  int arity(int index) {
    return entries.get(index).arity();
  }

  /** Pause of the thread after an operation, in nanoseconds. */
  long thinkNanos(int index) {
    return (long) (entries.get(index).thinkMs() * 1e6);
  }

  /** Whether an operation's count is of objects. */
  boolean countsObjects(int index) {
    return entries.get(index).objects();
  }

  /** Pause of a thread before its first execution of a stage, so that threads do not go in step. */
  long firstPauseNanos(int index, int thread) {
    long nanos = thinkNanos(index);
    long bits = Digest.mix(Digest.mix(seed ^ PACE) ^ thread);
    return nanos == 0 ? 0 : (long) ((bits >>> 11) * 0x1.0p-53 * nanos);
  }

  /** What the seeds of all sessions of a thread are made of. */
  long sessionsSeed(int thread) {
    return Digest.mix(Digest.mix(seed ^ SESSIONS) ^ thread);
  }

  /** Seed of everything random in a session. */
  static long sessionSeed(long sessionsSeed, long session) {
    return Digest.mix(sessionsSeed ^ session);
  }

  int client() {
    return client;
  }

  String name(int index) {
    return entries.get(index).name();
  }
}
