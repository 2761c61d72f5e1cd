package org.modelstress.topology.connection.nio;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;

/** Messages as they are sent: length and number, four bytes each, and what they say. */
final class Frames {
  /** Bytes of a message at most. */
  static final int LARGEST = 16 << 20;

  private static final int LENGTH_BYTES = 4;

  private Frames() {}

  static ChannelHandler decoder() {
    return new LengthFieldBasedFrameDecoder(LARGEST, 0, LENGTH_BYTES, 0, LENGTH_BYTES);
  }

  /** A message with a number, to which the rest is to be added. */
  static ByteBuf begin(ByteBufAllocator memory, int number) {
    return memory.buffer(256, LARGEST + LENGTH_BYTES).writeInt(0).writeInt(number);
  }

  /** The message with its length. */
  static ByteBuf end(ByteBuf message) {
    return message.setInt(0, message.readableBytes() - LENGTH_BYTES);
  }
}
