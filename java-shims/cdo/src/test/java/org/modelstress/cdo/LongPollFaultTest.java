package org.modelstress.cdo;

import org.junit.jupiter.api.Tag;

/** The same faults over long-polling HTTP. */
@Tag("long")
class LongPollFaultTest extends FaultTest {
  @Override
  Transport transport() {
    return Transport.LONG_POLL;
  }
}
