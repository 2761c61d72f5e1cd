package org.modelstress.cdo;

import org.junit.jupiter.api.Tag;

/** The same queries over long-polling HTTP. */
@Tag("long")
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
