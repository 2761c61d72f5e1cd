package org.modelstress.topology.connection.serialized;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.modelstress.topology.config.Part;
import org.modelstress.topology.connection.Connection;
import org.modelstress.topology.connection.ConnectionException;
import org.modelstress.topology.wire.Reply;
import org.modelstress.topology.wire.Request;

/**
 * A blocking socket with messages in Java's own serialisation, and a thread that reads its replies.
 * When the socket breaks, the next request opens another one.
 */
public final class SerializedConnection implements Connection {
  private static final int CONNECT_MILLIS = 5_000;

  private final String peer;
  private final InetSocketAddress address;
  private final Set<Part> imports;
  private final AtomicInteger numbers = new AtomicInteger();
  private Exchange exchange;
  private boolean closed;

  /** A connection that is opened by its first request. */
  public SerializedConnection(String peer, InetSocketAddress address, Set<Part> imports) {
    this.peer = peer;
    this.address = address;
    this.imports = Set.copyOf(imports);
  }

  @Override
  public Set<Part> imports() {
    return imports;
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public Reply ask(Request request, long timeoutMillis) throws ConnectionException {
    Exchange open = open();
    int number = numbers.getAndIncrement();
    CompletableFuture<Reply> reply = new CompletableFuture<>();
    open.waiting.put(number, reply);
    try {
      if (open.broken != null) {
        throw ConnectionException.notSent(peer + " is gone", open.broken);
      }
      open.objects.write(number, request);
      return reply.get(timeoutMillis, TimeUnit.MILLISECONDS);
    } catch (IOException e) {
      open.fail(e);
      throw ConnectionException.sent(peer + " is gone: " + e.getMessage(), e);
    } catch (ExecutionException e) {
      throw ConnectionException.sent(peer + " is gone: " + e.getCause().getMessage(), e.getCause());
    } catch (TimeoutException e) {
      throw ConnectionException.late(peer + " did not answer within " + timeoutMillis + " ms");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ConnectionException.late("interrupted while waiting for " + peer);
    } finally {
      open.waiting.remove(number);
    }
  }

  private synchronized Exchange open() throws ConnectionException {
    if (closed) {
      throw ConnectionException.notSent("the connection to " + peer + " is closed", null);
    }
    if (exchange != null && exchange.broken == null) {
      return exchange;
    }
    Socket socket = new Socket();
    try {
      socket.setTcpNoDelay(true);
      socket.connect(address, CONNECT_MILLIS);
      socket.setSoTimeout(CONNECT_MILLIS);
      Objects objects = new Objects(socket);
      socket.setSoTimeout(0);
      exchange = new Exchange(objects);
      Thread reading = new Thread(exchange, "replies of " + peer);
      reading.setDaemon(true);
      reading.start();
      return exchange;
    } catch (IOException e) {
      try {
        socket.close();
      } catch (IOException again) {
        e.addSuppressed(again);
      }
      throw ConnectionException.notSent(
          peer + " cannot be reached at " + address.getHostString() + ":" + address.getPort(), e);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (exchange != null) {
      exchange.objects.close();
    }
  }

  /** A socket, and the requests that wait for its replies. */
  private static final class Exchange implements Runnable {
    private final Map<Integer, CompletableFuture<Reply>> waiting = new ConcurrentHashMap<>();
    private final Objects objects;
    private volatile IOException broken;

    Exchange(Objects objects) {
      this.objects = objects;
    }

    @Override
    public void run() {
      try {
        while (true) {
          Objects.Numbered next = objects.read();
          CompletableFuture<Reply> reply = waiting.remove(next.number());
          if (reply != null && next.message() instanceof Reply message) {
            reply.complete(message);
          }
        }
      } catch (IOException e) {
        fail(e);
      }
    }

    void fail(IOException e) {
      broken = e;
      objects.close();
      waiting.values().forEach(reply -> reply.completeExceptionally(e));
    }
  }
}
