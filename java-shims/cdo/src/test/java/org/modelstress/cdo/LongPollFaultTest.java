package org.modelstress.cdo;

/** The same faults over long-polling HTTP. */
class LongPollFaultTest extends FaultTest {
  @Override
  Transport transport() {
    return Transport.LONG_POLL;
  }
}
