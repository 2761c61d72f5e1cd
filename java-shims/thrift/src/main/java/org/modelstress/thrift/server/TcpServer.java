package org.modelstress.thrift.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.TException;
import org.apache.thrift.TProcessor;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TTupleProtocol;
import org.apache.thrift.transport.TTransportException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers Thrift's tuple protocol over zlib over TCP, with a thread for each connection as Hawk's
 * thread-pool server does. When all threads are taken, connections wait to be accepted.
 */
final class TcpServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TcpServer.class);
  private static final int BACKLOG = 1024;
  private static final long IDLE_THREAD_S = 10;

  /** While others wait, a connection keeps its thread so long without a word from its client. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final TProcessor processor;
  private final ApiOptions options;
  private final TConfiguration limits;
  private final RequestMemory memory;
  private final BoundedLog log = new BoundedLog(LOG);
  private final ZlibCodec.Pool codecs;
  private final ServerSocketChannel listener;
  private final ThreadPoolExecutor pool;
  private final Thread acceptor;
  private final Set<ZlibTransport> connections = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * Listens and answers.
   *
   * @throws IOException if the address cannot be bound
   */
  TcpServer(
      TProcessor processor,
      InetSocketAddress address,
      ApiOptions options,
      TConfiguration limits,
      RequestMemory memory)
      throws IOException {
    this.memory = memory;
    this.processor = processor;
    this.options = options;
    this.limits = limits;
    codecs = new ZlibCodec.Pool(options.compressionLevel(), options.maxThreads());
    listener = ServerSocketChannel.open();
    try {
      listener.bind(address, BACKLOG);
    } catch (IOException | RuntimeException e) {
      listener.close();
      throw e;
    }
    pool =
        new ThreadPoolExecutor(
            0,
            options.maxThreads(),
            IDLE_THREAD_S,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> new Thread(task, "thrift-tcp"),
            this::waitForThread);
    acceptor = new Thread(this::accept, "thrift-tcp-accept");
    acceptor.start();
  }

  /**
   * Keeps the acceptor, and with it later connections, until a thread is free; meanwhile the
   * threads of clients that say nothing are freed.
   */
  private void waitForThread(Runnable task, ThreadPoolExecutor pool) {
    try {
      while (!pool.isShutdown()) {
        if (pool.getQueue().offer(task, 100, TimeUnit.MILLISECONDS)) {
          return;
        }
        long now = System.nanoTime();
        closeWhere(connection -> connection.blockedForNanos(now) > PATIENCE_NANOS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new RejectedExecutionException("the server stops");
  }

  int port() {
    return listener.socket().getLocalPort();
  }

  private void accept() {
    while (!closed) {
      SocketChannel channel = null;
      try {
        channel = listener.accept();
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        SocketChannel accepted = channel;
        pool.execute(() -> serve(accepted));
      } catch (IOException | RuntimeException e) {
        closeQuietly(channel);
        if (!closed) {
          LOG.warn("a connection could not be accepted: {}", e.toString());
          pause();
        }
      }
    }
  }

  /** Lets others give file handles back, when those are what is missing. */
  private static void pause() {
    try {
      Thread.sleep(10);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void serve(SocketChannel channel) {
    ZlibTransport transport = new ZlibTransport(channel, codecs, limits, memory);
    connections.add(transport);
    Caller.use(new Caller(transport::hasGone));
    try {
      TProtocol protocol = new TTupleProtocol(transport);
      while (!closed) {
        processor.process(protocol, protocol);
      }
    } catch (TTransportException e) {
      if (e.getType() != TTransportException.END_OF_FILE && !closed) {
        log.say("connection ended", e.getMessage());
      }
    } catch (TException | RuntimeException e) {
      log.say("connection ended, its request was not understood", e);
    } catch (StackOverflowError e) {
      log.say("connection ended", "its request or answer was nested too deeply");
    } finally {
      Caller.use(null);
      connections.remove(transport);
      transport.release();
    }
  }

  /**
   * Closes connections on which nothing has moved for the idle timeout, or whose request has not
   * come whole within its own; to be called regularly.
   */
  void closeIdle() {
    long now = System.nanoTime();
    long idle = TimeUnit.MILLISECONDS.toNanos(options.idleTimeoutMs());
    long slow = TimeUnit.MILLISECONDS.toNanos(options.requestTimeoutMs());
    closeWhere(
        connection ->
            connection.blockedForNanos(now) > idle || connection.receivingForNanos(now) > slow);
  }

  private void closeWhere(Predicate<ZlibTransport> unwanted) {
    for (ZlibTransport connection : connections) {
      if (unwanted.test(connection)) {
        connection.close();
      }
    }
  }

  /** Gives back what many connections needed that are no more; to be called now and then. */
  void shrink() {
    codecs.shrink();
  }

  /** The thread that accepts connections. */
  Thread acceptor() {
    return acceptor;
  }

  /** Connections in work. */
  int connections() {
    return connections.size();
  }

  @Override
  public void close() {
    closed = true;
    try {
      listener.close();
    } catch (IOException e) {
      LOG.warn("the port could not be closed: {}", e.toString());
    }
    acceptor.interrupt();
    pool.shutdown();
    connections.forEach(ZlibTransport::close);
    try {
      acceptor.join(TimeUnit.SECONDS.toMillis(1));
      pool.awaitTermination(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    connections.forEach(ZlibTransport::close);
    codecs.close();
  }

  private static void closeQuietly(SocketChannel channel) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        // it was not usable anyway
      }
    }
  }
}
