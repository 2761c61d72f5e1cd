package org.modelstress.topology.connection.serialized;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ObjectsTest {
  private static final int MIB = 1 << 20;

  private Objects writing;
  private Objects reading;

  @BeforeEach
  void connect() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
      Socket accepted = server.accept();
      CompletableFuture<Objects> other = CompletableFuture.supplyAsync(() -> objects(client));
      reading = objects(accepted);
      writing = other.get();
    }
  }

  @AfterEach
  void close() {
    writing.close();
    reading.close();
  }

  private static Objects objects(Socket socket) {
    try {
      return new Objects(socket);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void write(int number, ArrayList<String> message) {
    CompletableFuture.runAsync(
        () -> {
          try {
            writing.write(number, message);
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  @Test
  void aConnectionCarriesMoreThanOneMessageMay() throws Exception {
    ArrayList<String> large = new ArrayList<>(Collections.nCopies(1, "x".repeat(MIB)));
    for (int number = 0; number < 40; number++) {
      write(number, large);
      assertEquals(number, reading.read().number());
    }
    ArrayList<String> parts = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      parts.add(Integer.toString(i));
    }
    for (int number = 0; number < 25; number++) {
      write(number, parts);
      assertEquals(number, reading.read().number());
    }
  }

  @Test
  void aMessageBeyondItsBoundsEndsTheConnection() {
    ArrayList<String> tooLarge = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      tooLarge.add(i + "x".repeat(MIB));
    }
    write(0, tooLarge);
    assertThrows(IOException.class, () -> reading.read());
  }
}
