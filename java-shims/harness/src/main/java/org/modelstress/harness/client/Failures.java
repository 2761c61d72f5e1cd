package org.modelstress.harness.client;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.modelstress.harness.samples.OutcomeCode;

/** Distinct failure messages, each to be told once. */
final class Failures {
  private static final int MOST = 100;
  private static final int LONGEST = 2000;

  /** What the controller is told. */
  record Detail(String operation, String outcome, String message) {}

  private final Set<Detail> seen = ConcurrentHashMap.newKeySet();
  private final Queue<Detail> untold = new ConcurrentLinkedQueue<>();

  void add(String operation, OutcomeCode outcome, String message) {
    if (seen.size() >= MOST) {
      return;
    }
    String text = message == null || message.isBlank() ? "(the driver gave no reason)" : message;
    text = text.length() > LONGEST ? text.substring(0, LONGEST) + "…" : text;
    Detail detail = new Detail(operation, outcome.text(), text);
    if (seen.add(detail)) {
      untold.add(detail);
    }
  }

  /** The next one to tell, or null. */
  Detail poll() {
    return untold.poll();
  }

  /** A sentence for something thrown; exhausted client ports are marked as this side's fault. */
  static String sentence(Throwable thrown) {
    StringBuilder text = new StringBuilder();
    String last = null;
    Throwable t = thrown;
    for (int depth = 0; t != null && depth < 8; t = t.getCause(), depth++) {
      String message = t.getMessage() == null ? t.getClass().getSimpleName() : t.getMessage();
      // wrappers often repeat the message of their cause
      if (last == null || !last.contains(message)) {
        text.append(text.isEmpty() ? "" : ": ").append(message);
        last = message;
      }
      if (t instanceof java.net.BindException) {
        text.insert(0, CLIENT_FAULT);
      }
    }
    return attribute(text.toString());
  }

  private static final String CLIENT_FAULT = "client: ";

  /** Marks a message as the client's fault when it says that local ports are exhausted. */
  static String attribute(String message) {
    if (message != null
        && !message.startsWith(CLIENT_FAULT)
        && (message.contains("Cannot assign requested address")
            || message.contains("BindException"))) {
      return CLIENT_FAULT + message;
    }
    return message;
  }
}
