package org.modelstress.cdo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.cdo.driver.CdoDriver;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Outcome;

/** Connections that say nothing, or nonsense, take the server from nobody. */
@Timeout(240)
class ConnectionFloodTest {
  private static final int FILES = 400;
  private static final int PATIENCE_MS = 5_000; // the kernel tries again after 1 and 3 s
  private static final byte[][] NONSENSE = {
    {},
    {-1, -1, 15, -96, 'a'},
    {-1, -1, 127, -1, 1, 2, 3},
    {0, 7, -1, -1, 9},
    "GET / HTTP".getBytes(StandardCharsets.US_ASCII)
  };

  @TempDir Path folder;
  private final List<Socket> sockets = new ArrayList<>();

  @Test
  void moreConnectionsThanTheServerHasFilesDoNotEndItsListening() throws Exception {
    TrainFixture train = new TrainFixture(folder, 1);
    List<String> starter = List.of("sh", "-c", "ulimit -n " + FILES + "; exec \"$@\"", "sh");
    try (ServerProcess server = new ServerProcess(starter, "serve", train.config(Map.of(), 0))) {
      Endpoint endpoint = TrainFixture.endpoint(server.awaitReady());
      assertAnswers(endpoint);
      flood(endpoint, 2 * FILES);
      assertTrue(server.openFiles() > FILES - 10, server.openFiles() + " files are open");
      Thread.sleep(1_000); // it goes on to accept, and cannot
      for (Socket socket : sockets) {
        socket.close();
      }
      assertAnswers(endpoint);
    }
  }

  @Test
  void connectionsThatStopInTheMiddleKeepNobodyOut() throws Exception {
    TrainFixture train = new TrainFixture(folder, 1);
    try (ServerProcess server = new ServerProcess("serve", train.config(Map.of(), 0))) {
      Endpoint endpoint = TrainFixture.endpoint(server.awaitReady());
      flood(endpoint, 200);
      assertEquals(200, sockets.size());
      for (int i = 0; i < sockets.size(); i++) {
        sockets.get(i).getOutputStream().write(NONSENSE[i % NONSENSE.length]);
      }
      for (int i = 0; i < 20; i++) {
        assertAnswers(endpoint); // the others are still there
      }
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  /** Opens so many connections, or as many as the other end takes. */
  private void flood(Endpoint endpoint, int connections) throws IOException {
    int port = endpoint.port();
    try {
      for (int i = 0; i < connections; i++) {
        Socket socket = new Socket();
        sockets.add(socket);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_MS);
      }
    } catch (SocketTimeoutException e) {
      // as many as wait to be accepted
    }
  }

  private static void assertAnswers(Endpoint endpoint) throws Exception {
    CdoDriver driver = new CdoDriver();
    Map<String, Object> options = Map.of("safe_connect", true);
    long limit = TimeUnit.SECONDS.toMillis(30);
    try (Driver.Session session = driver.open(endpoint, TrainFixture.options(limit, options))) {
      Outcome outcome = session.execute(TrainFixture.operation("SwitchSet"));
      assertEquals(Outcome.Kind.OK, outcome.kind(), outcome.detail());
    }
  }
}
