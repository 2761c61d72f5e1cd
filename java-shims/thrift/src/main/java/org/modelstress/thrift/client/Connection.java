package org.modelstress.thrift.client;

import org.apache.thrift.protocol.TProtocol;

/** One connection that carries Thrift messages and counts its bytes. */
interface Connection extends AutoCloseable {
  /** Writes requests and reads answers. */
  TProtocol protocol();

  /** Bytes sent so far, as they are on the wire. */
  long sent();

  /** Bytes received so far, as they are on the wire. */
  long received();

  @Override
  void close();
}
