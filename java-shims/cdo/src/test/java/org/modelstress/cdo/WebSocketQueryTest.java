package org.modelstress.cdo;

/** The same queries over WebSocket. */
class WebSocketQueryTest extends QueryTest {
  @Override
  Transport transport() {
    return Transport.WEBSOCKET;
  }

  @Override
  int size() {
    return 2;
  }

  @Override
  int rounds() {
    return 2;
  }
}
