package org.modelstress.cdo;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The same faults over HTTP with Net4j's own polling, those long whose many polls take a minute.
 */
class HttpFaultTest extends FaultTest {
  @Override
  Transport transport() {
    return Transport.HTTP;
  }

  @Test
  @Tag("long")
  @Override
  void aSlowQueryTimesOutOnTheDeadlineAndOnTheSignalTimeout() throws Exception {
    super.aSlowQueryTimesOutOnTheDeadlineAndOnTheSignalTimeout();
  }

  @Test
  @Tag("long")
  @Override
  void aServerThatHangsNeitherHoldsAnExecutionNorClosing() throws Exception {
    super.aServerThatHangsNeitherHoldsAnExecutionNorClosing();
  }

  @Test
  @Tag("long")
  @Override
  void sessionsLeaveNothingBehindOnEitherSide() throws Exception {
    super.sessionsLeaveNothingBehindOnEitherSide();
  }
}
