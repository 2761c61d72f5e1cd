package org.modelstress.thrift.client;

import java.nio.channels.SocketChannel;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TTupleProtocol;
import org.modelstress.thrift.server.ZlibTransport;

/** Thrift's tuple protocol over zlib over TCP. */
final class TcpConnection implements Connection {
  private final ZlibTransport transport;
  private final TProtocol protocol;

  TcpConnection(SocketChannel channel, ThriftDriver driver) {
    transport = new ZlibTransport(channel, driver.codecs(), driver.limits());
    protocol = new TTupleProtocol(transport);
  }

  @Override
  public TProtocol protocol() {
    return protocol;
  }

  @Override
  public long sent() {
    return transport.sent();
  }

  @Override
  public long received() {
    return transport.received();
  }

  @Override
  public void close() {
    transport.release();
  }
}
