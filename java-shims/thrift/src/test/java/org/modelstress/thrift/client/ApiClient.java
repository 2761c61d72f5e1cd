package org.modelstress.thrift.client;

import org.apache.thrift.TConfiguration;
import org.apache.thrift.protocol.TTupleProtocol;
import org.apache.thrift.transport.TSocket;
import org.apache.thrift.transport.TZlibTransport;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.hawk.api.Hawk;

/** Hawk's API on a TCP connection of its own, made of libthrift only. */
public final class ApiClient extends Hawk.Client implements AutoCloseable {
  private static final int TIMEOUT_MS = 60_000;

  private final TSocket socket;

  /** Connects. */
  public ApiClient(Endpoint endpoint) throws Exception {
    this(new TSocket(new TConfiguration(), endpoint.host(), endpoint.port(), TIMEOUT_MS));
  }

  private ApiClient(TSocket socket) throws Exception {
    super(new TTupleProtocol(new TZlibTransport(socket)));
    this.socket = socket;
    socket.open();
  }

  @Override
  public void close() {
    socket.close();
  }
}
