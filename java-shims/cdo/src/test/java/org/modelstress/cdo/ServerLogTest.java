package org.modelstress.cdo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.eclipse.net4j.util.om.log.OMLogger;
import org.junit.jupiter.api.Test;

/** What CDO logs of wrong requests does not fill a disk. */
class ServerLogTest {
  @Test
  void eachKindOfFailureHasOneStackTraceAndTheRestIsCounted() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ServerLog log = new ServerLog(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    for (int i = 0; i < 100_000; i++) {
      RuntimeException wrong = new IllegalStateException("request " + i + "\nand more");
      log.logged(null, OMLogger.Level.ERROR, "x".repeat(100_000), i % 2 == 0 ? wrong : null);
    }
    String text = bytes.toString(StandardCharsets.UTF_8);
    assertTrue(text.length() < 2_000 * 600, "" + text.length());
    assertEquals(1, text.split("at org.modelstress.cdo.ServerLogTest", -1).length - 1, text);
    assertTrue(text.contains("[ERROR] java.lang.IllegalStateException: request 2\n"), text);
    assertTrue(text.contains("messages so far, most of them not shown: 65536"), text);
  }
}
