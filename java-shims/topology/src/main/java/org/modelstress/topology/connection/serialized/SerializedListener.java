package org.modelstress.topology.connection.serialized;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import org.modelstress.topology.connection.Listener;
import org.modelstress.topology.connection.RequestHandler;
import org.modelstress.topology.wire.Request;

/**
 * Listens for requests in Java's own serialisation, with two threads for each connection: one that
 * reads requests and one that writes replies (Free Data Objects, 7.4.2).
 */
public final class SerializedListener implements Listener {
  private static final int BACKLOG = 4096;
  private static final int HEADER_MILLIS = 10_000;
  private static final int MOST_UNREAD = 1_000;

  private final ServerSocket server;
  private final RequestHandler handler;
  private final Set<Objects> clients = ConcurrentHashMap.newKeySet();

  /**
   * Listens at an address.
   *
   * @param address port 0: any that is free
   * @param handler answers, in threads of its own
   */
  public SerializedListener(InetSocketAddress address, RequestHandler handler) throws IOException {
    this.handler = handler;
    server = new ServerSocket(address.getPort(), BACKLOG, address.getAddress());
    start("listener", this::listen);
  }

  private static void start(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void listen() {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        start("client " + socket.getPort(), () -> serve(socket));
      } catch (IOException e) {
        if (!server.isClosed()) {
          System.err.println("a client could not connect: " + e.getMessage());
        }
      }
    }
  }

  private void serve(Socket socket) {
    BlockingQueue<Objects.Numbered> replies = new ArrayBlockingQueue<>(MOST_UNREAD);
    Objects client = null;
    try {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(HEADER_MILLIS);
      client = new Objects(socket);
      socket.setSoTimeout(0);
      clients.add(client);
      Objects writing = client;
      start("replies to " + socket.getPort(), () -> write(writing, replies));
      while (true) {
        Objects.Numbered next = client.read();
        if (!(next.message() instanceof Request request)) {
          return;
        }
        read(next.number(), request, replies, client);
      }
    } catch (IOException e) {
      // it has gone, or has sent what is no request; whoever it is has no more to say
    } finally {
      if (client != null) {
        clients.remove(client);
        client.close();
      } else {
        closeQuietly(socket);
      }
    }
  }

  private void read(
      int number, Request request, BlockingQueue<Objects.Numbered> replies, Objects client) {
    handler.handle(
        request,
        reply -> {
          if (!replies.offer(new Objects.Numbered(number, reply))) {
            client.close(); // it asks and does not read
          }
        });
  }

  private void write(Objects client, BlockingQueue<Objects.Numbered> replies) {
    try {
      while (clients.contains(client)) {
        Objects.Numbered reply = replies.poll(1, java.util.concurrent.TimeUnit.SECONDS);
        if (reply != null) {
          client.write(reply.number(), reply.message());
        }
      }
    } catch (IOException e) {
      client.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // gone already
    }
  }

  @Override
  public InetSocketAddress address() {
    return (InetSocketAddress) server.getLocalSocketAddress();
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      System.err.println("closing a listener failed: " + e.getMessage());
    }
    clients.forEach(Objects::close);
  }
}
