package org.modelstress.cdo.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.eclipse.net4j.connector.ConnectorException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a sender waits, and what ends its wait. */
@Timeout(60)
class SendWindowTest {
  private static final long LONG = 30_000;

  @Test
  void aSenderWaitsUntilThereIsRoom() throws Exception {
    SendWindow window = new SendWindow(2, LONG);
    send(window, 2);
    window.awaitRoom();
    send(window, 1);
    CompletableFuture<Void> sender = CompletableFuture.runAsync(window::awaitRoom);
    Thread.sleep(200);
    assertFalse(sender.isDone());
    window.written();
    sender.get(LONG, TimeUnit.MILLISECONDS);
  }

  @Test
  void anEndThatTakesNothingIsAnError() {
    SendWindow window = new SendWindow(0, 200);
    send(window, 1);
    ConnectorException e = assertThrows(ConnectorException.class, window::awaitRoom);
    assertTrue(e.getMessage().contains("200 ms"), e.getMessage());
  }

  @Test
  void aSlowEndThatTakesSomethingIsNone() throws Exception {
    SendWindow window = new SendWindow(0, 2_000);
    send(window, 6);
    CompletableFuture<Void> sender = CompletableFuture.runAsync(window::awaitRoom);
    for (int i = 0; i < 6; i++) { // longer than the window's patience in all
      assertFalse(sender.isDone());
      Thread.sleep(500);
      window.written();
    }
    sender.get(LONG, TimeUnit.MILLISECONDS);
  }

  @Test
  void closingAndInterruptsEndTheWait() throws Exception {
    SendWindow window = new SendWindow(0, LONG);
    send(window, 1);
    CompletableFuture<Thread> waiting = new CompletableFuture<>();
    CompletableFuture<Void> interrupted =
        CompletableFuture.runAsync(
            () -> {
              waiting.complete(Thread.currentThread());
              try {
                window.awaitRoom();
              } finally {
                assertTrue(Thread.interrupted());
              }
            });
    waiting.get().interrupt();
    ExecutionException e =
        assertThrows(ExecutionException.class, () -> interrupted.get(LONG, TimeUnit.MILLISECONDS));
    assertEquals(ConnectorException.class, e.getCause().getClass());

    CompletableFuture<Void> closed = CompletableFuture.runAsync(window::awaitRoom);
    window.close();
    closed.get(LONG, TimeUnit.MILLISECONDS);
  }

  private static void send(SendWindow window, int frames) {
    for (int i = 0; i < frames; i++) {
      window.sent();
    }
  }
}
