package org.modelstress.thrift.server;

import org.apache.thrift.TApplicationException;
import org.apache.thrift.TException;
import org.apache.thrift.TProcessor;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolException;
import org.apache.thrift.protocol.TProtocolUtil;
import org.apache.thrift.protocol.TTupleProtocol;
import org.apache.thrift.protocol.TType;
import org.modelstress.hawk.api.Hawk;

/**
 * Hands requests to a service. Unlike the processor that Thrift generates, it also answers methods
 * that the API does not have over the tuple protocol, which cannot skip unknown arguments: there
 * the connection ends after the answer.
 */
public final class ApiProcessor implements TProcessor {
  private final Hawk.Iface service;
  private final Hawk.Processor<Hawk.Iface> known;

  /** For a service. */
  public ApiProcessor(Hawk.Iface service) {
    this.service = service;
    known = new Hawk.Processor<>(service);
  }

  @Override
  public void process(TProtocol in, TProtocol out) throws TException {
    TMessage message = in.readMessageBegin();
    var function = known.getProcessMapView().get(message.name);
    if (function != null) {
      function.process(message.seqid, in, out, service);
      return;
    }
    boolean skips = !(in instanceof TTupleProtocol);
    if (skips) {
      TProtocolUtil.skip(in, TType.STRUCT);
      in.readMessageEnd();
    }
    TApplicationException refusal = UnservedCalls.refusal(message.name);
    out.writeMessageBegin(new TMessage(message.name, TMessageType.EXCEPTION, message.seqid));
    refusal.write(out);
    out.writeMessageEnd();
    out.getTransport().flush();
    if (!skips && in.getTransport() instanceof ZlibTransport) { // over HTTP a request has an end
      throw new TProtocolException(TProtocolException.UNKNOWN, refusal.getMessage());
    }
  }
}
