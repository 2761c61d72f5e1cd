package org.modelstress.cdo;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.modelstress.harness.spi.DriverTimeoutException;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Options;

/** The same faults over WebSocket. */
@Tag("long") // the same over TCP and HTTP are not
class WebSocketFaultTest extends FaultTest {
  @Override
  Transport transport() {
    return Transport.WEBSOCKET;
  }

  /** Without an upgrade there is no signal that could time out, only the deadline. */
  @Test
  @Override
  void aServerThatDoesNotAnswerWhenASessionIsOpenedIsATimeout() throws Exception {
    try (ServerSocket mute = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Endpoint endpoint = TrainFixture.endpoint("ws://127.0.0.1:" + mute.getLocalPort() + "/net4j");
      Options deadline = TrainFixture.options(1_000, Map.of());
      assertThrows(DriverTimeoutException.class, () -> driver().open(endpoint, deadline));
    }
  }
}
