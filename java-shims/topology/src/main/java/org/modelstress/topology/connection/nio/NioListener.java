package org.modelstress.topology.connection.nio;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.modelstress.topology.connection.Listener;
import org.modelstress.topology.connection.RequestHandler;
import org.modelstress.topology.schema.Schema;
import org.modelstress.topology.wire.Request;

/** Listens for requests in the compact format. */
public final class NioListener implements Listener {
  private static final int BACKLOG = 4096;
  private static final WriteBufferWaterMark MOST_UNREAD =
      new WriteBufferWaterMark(1 << 20, 8 << 20);

  private final Channel channel;

  /**
   * Listens at an address.
   *
   * @param address port 0: any that is free
   * @param handler answers, in threads of its own
   * @param threads of the process; not closed with it
   * @throws IOException where the address cannot be had
   */
  public NioListener(
      InetSocketAddress address, RequestHandler handler, Schema schema, EventLoopGroup threads)
      throws IOException {
    Codec codec = new Codec(schema);
    var binding =
        new ServerBootstrap()
            .group(threads)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, MOST_UNREAD)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel made) {
                    made.pipeline().addLast(Frames.decoder(), new Requests(codec, handler));
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    if (!binding.isSuccess()) {
      throw new IOException(binding.cause().getMessage(), binding.cause());
    }
    channel = binding.channel();
  }

  @Override
  public InetSocketAddress address() {
    return (InetSocketAddress) channel.localAddress();
  }

  @Override
  public void close() {
    channel.close().awaitUninterruptibly();
  }

  private static final class Requests extends SimpleChannelInboundHandler<ByteBuf> {
    private final Codec codec;
    private final RequestHandler handler;

    Requests(Codec codec, RequestHandler handler) {
      this.codec = codec;
      this.handler = handler;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
      int number = message.readInt();
      Request request = codec.readRequest(message);
      if (message.isReadable()) {
        throw new IllegalArgumentException("a request that goes on after its end");
      }
      Channel client = context.channel();
      handler.handle(
          request,
          reply -> {
            ByteBuf answer = Frames.begin(client.alloc(), number);
            codec.write(answer, reply);
            client.writeAndFlush(Frames.end(answer), client.voidPromise());
          });
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
      // a client that does not read its replies is not read from either
      context.channel().config().setAutoRead(context.channel().isWritable());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close(); // whoever sends what is no request has no more to say
    }
  }
}
