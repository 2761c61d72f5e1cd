package org.modelstress.topology.connection.nio;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
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
import org.modelstress.topology.schema.Schema;
import org.modelstress.topology.wire.Reply;
import org.modelstress.topology.wire.Request;

/**
 * A connection that many threads share: requests carry a number, replies come in any order. When
 * the socket breaks, the next request opens another one.
 */
public final class NioConnection implements Connection {
  private static final int CONNECT_MILLIS = 5_000;

  private final String peer;
  private final InetSocketAddress address;
  private final Set<Part> imports;
  private final Codec codec;
  private final EventLoopGroup threads;
  private final AtomicInteger numbers = new AtomicInteger();
  private Channel channel;
  private boolean closed;

  /**
   * A connection that is opened by its first request.
   *
   * @param threads of the process, which all its connections share; not closed with it
   */
  public NioConnection(
      String peer,
      InetSocketAddress address,
      Set<Part> imports,
      Schema schema,
      EventLoopGroup threads) {
    this.peer = peer;
    this.address = address;
    this.imports = Set.copyOf(imports);
    this.codec = new Codec(schema);
    this.threads = threads;
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
    Channel open = open();
    Waiting waiting = open.pipeline().get(Waiting.class);
    int number = numbers.getAndIncrement();
    CompletableFuture<Reply> reply = waiting.expect(number);
    ByteBuf message = Frames.begin(open.alloc(), number);
    codec.write(message, request);
    ChannelFuture written = open.writeAndFlush(Frames.end(message));
    try {
      return reply.get(timeoutMillis, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      boolean sent = !written.isDone() || written.isSuccess();
      String message2 = peer + " is gone: " + e.getCause().getMessage();
      throw sent
          ? ConnectionException.sent(message2, e.getCause())
          : ConnectionException.notSent(message2, e.getCause());
    } catch (TimeoutException e) {
      throw ConnectionException.late(peer + " did not answer within " + timeoutMillis + " ms");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ConnectionException.late("interrupted while waiting for " + peer);
    } finally {
      waiting.forget(number);
    }
  }

  private synchronized Channel open() throws ConnectionException {
    if (closed) {
      throw ConnectionException.notSent("the connection to " + peer + " is closed", null);
    }
    if (channel != null && channel.isActive()) {
      return channel;
    }
    ChannelFuture connecting =
        new Bootstrap()
            .group(threads)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel made) {
                    made.pipeline().addLast(Frames.decoder(), new Waiting(codec));
                  }
                })
            .connect(address)
            .awaitUninterruptibly();
    if (!connecting.isSuccess()) {
      throw ConnectionException.notSent(
          peer + " cannot be reached at " + address.getHostString() + ":" + address.getPort(),
          connecting.cause());
    }
    channel = connecting.channel();
    return channel;
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (channel != null) {
      channel.close();
    }
  }

  /** Requests of a socket that wait for their replies. */
  private static final class Waiting extends SimpleChannelInboundHandler<ByteBuf> {
    private final Map<Integer, CompletableFuture<Reply>> waiting = new ConcurrentHashMap<>();
    private final Codec codec;
    private volatile Throwable broken;

    Waiting(Codec codec) {
      this.codec = codec;
    }

    CompletableFuture<Reply> expect(int number) {
      CompletableFuture<Reply> reply = new CompletableFuture<>();
      waiting.put(number, reply);
      if (broken != null) {
        reply.completeExceptionally(broken);
      }
      return reply;
    }

    void forget(int number) {
      waiting.remove(number);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
      CompletableFuture<Reply> reply = waiting.remove(message.readInt());
      if (reply == null) {
        return; // nobody waits any more
      }
      try {
        reply.complete(codec.readReply(message));
      } catch (RuntimeException e) {
        reply.completeExceptionally(e);
        throw e; // what comes after it cannot be trusted
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      fail(new java.io.IOException("the connection was closed"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      fail(cause);
      context.close();
    }

    private void fail(Throwable cause) {
      broken = cause;
      waiting.values().forEach(reply -> reply.completeExceptionally(cause));
    }
  }
}
