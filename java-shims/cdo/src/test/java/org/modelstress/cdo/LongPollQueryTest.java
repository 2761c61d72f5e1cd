package org.modelstress.cdo;

/** The same queries over long-polling HTTP. */
class LongPollQueryTest extends QueryTest {
  @Override
  Transport transport() {
    return Transport.LONG_POLL;
  }

  @Override
  int size() {
    return 2;
  }
}
