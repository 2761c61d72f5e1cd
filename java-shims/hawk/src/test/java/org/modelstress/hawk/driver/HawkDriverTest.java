package org.modelstress.hawk.driver;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.modelstress.harness.spi.Driver;

/** What {@code hawk} adds to the driver that it shares. */
@Timeout(60)
class HawkDriverTest {
  @Test
  void theHarnessFindsIt() {
    assertTrue(
        ServiceLoader.load(Driver.class).stream()
            .anyMatch(d -> d.type() == HawkDriver.class && d.get().name().equals("hawk")));
  }
}
