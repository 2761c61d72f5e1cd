package org.modelstress.cdo;

/** The same queries over HTTP with Net4j's own polling. */
class HttpQueryTest extends QueryTest {
  @Override
  Transport transport() {
    return Transport.HTTP;
  }

  @Override
  int size() {
    return 1;
  }

  @Override
  int rounds() {
    return 1;
  }
}
