package org.modelstress.thrift.server;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TCompactProtocol;
import org.apache.thrift.protocol.TJSONProtocol;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TTupleProtocol;
import org.apache.thrift.transport.TTransport;

/** How a Thrift message is written over HTTP. */
public enum WireProtocol {
  TUPLE,
  COMPACT,
  BINARY,
  JSON;

  /** Its name, the last part of its path. */
  public String path() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Reads and writes it. */
  public TProtocol over(TTransport transport) {
    return switch (this) {
      case TUPLE -> new TTupleProtocol(transport);
      case COMPACT -> new TCompactProtocol(transport);
      case BINARY -> new TBinaryProtocol(transport, true, true); // a version stands before all
      case JSON -> new TJSONProtocol(transport);
    };
  }

  /** The protocols by whole path. */
  static Map<String, WireProtocol> byPath(String root) {
    Map<String, WireProtocol> paths = new HashMap<>();
    for (WireProtocol protocol : values()) {
      paths.put(root + protocol.path(), protocol);
    }
    return paths;
  }
}
