package org.modelstress.topology.connection.grpc;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.modelstress.topology.config.Part;
import org.modelstress.topology.connection.Connection;
import org.modelstress.topology.connection.ConnectionException;
import org.modelstress.topology.grpc.CommitRequest;
import org.modelstress.topology.grpc.FetchRequest;
import org.modelstress.topology.grpc.FindRequest;
import org.modelstress.topology.grpc.FinishRequest;
import org.modelstress.topology.grpc.InDoubtRequest;
import org.modelstress.topology.grpc.ObjectManagerGrpc;
import org.modelstress.topology.grpc.PrepareRequest;
import org.modelstress.topology.grpc.ReplyMessage;
import org.modelstress.topology.schema.Schema;
import org.modelstress.topology.wire.Reply;
import org.modelstress.topology.wire.Request;

/** An object manager that is reached by gRPC. */
public final class GrpcConnection implements Connection {
  private final String peer;
  private final Set<Part> imports;
  private final Messages messages;
  private final ManagedChannel channel;
  private final ObjectManagerGrpc.ObjectManagerBlockingStub stub;

  /** A connection that is opened by its first request. */
  public GrpcConnection(String peer, InetSocketAddress address, Set<Part> imports, Schema schema) {
    this.peer = peer;
    this.imports = Set.copyOf(imports);
    this.messages = new Messages(schema);
    this.channel =
        NettyChannelBuilder.forAddress(address)
            .usePlaintext()
            .disableRetry() // a commit is never sent twice
            .maxInboundMessageSize(GrpcListener.LARGEST)
            .build();
    this.stub = ObjectManagerGrpc.newBlockingStub(channel);
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
    try {
      return messages.reply(
          sent(stub.withDeadlineAfter(timeoutMillis, TimeUnit.MILLISECONDS), request));
    } catch (StatusRuntimeException e) {
      throw exception(e, timeoutMillis);
    } catch (IllegalArgumentException e) {
      throw ConnectionException.sent(peer + " answered what is not understood", e);
    }
  }

  private ReplyMessage sent(ObjectManagerGrpc.ObjectManagerBlockingStub to, Request request) {
    if (request instanceof Request.Find find) {
      return to.find(
          FindRequest.newBuilder()
              .setQuery(find.query())
              .addAllParameters(Messages.values(find.parameters()))
              .addAllTargets(Messages.targetMessages(find.targets()))
              .build());
    }
    if (request instanceof Request.Fetch fetch) {
      FetchRequest.Builder message =
          FetchRequest.newBuilder().setType(fetch.type()).setFreshMillis(fetch.freshMillis());
      for (long oid : fetch.oids()) {
        message.addOids(oid);
      }
      return to.fetch(message.addAllTargets(Messages.targetMessages(fetch.targets())).build());
    }
    if (request instanceof Request.Commit commit) {
      return to.commit(
          CommitRequest.newBuilder().addAllWrites(messages.writeMessages(commit.writes())).build());
    }
    if (request instanceof Request.Prepare prepare) {
      return to.prepare(
          PrepareRequest.newBuilder()
              .setBranch(Messages.branch(prepare.branch()))
              .addAllWrites(messages.writeMessages(prepare.writes()))
              .build());
    }
    if (request instanceof Request.Finish finish) {
      return to.finish(
          FinishRequest.newBuilder()
              .setBranch(Messages.branch(finish.branch()))
              .addAllStores(Messages.list(finish.stores()))
              .setCommit(finish.commit())
              .build());
    }
    int[] stores = ((Request.InDoubt) request).stores();
    return to.inDoubt(InDoubtRequest.newBuilder().addAllStores(Messages.list(stores)).build());
  }

  private ConnectionException exception(StatusRuntimeException e, long timeoutMillis) {
    if (e.getStatus().getCode() == Status.Code.DEADLINE_EXCEEDED) {
      return ConnectionException.late(peer + " did not answer within " + timeoutMillis + " ms");
    }
    for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof ConnectException) {
        return ConnectionException.notSent(peer + " cannot be reached", e);
      }
    }
    return ConnectionException.sent(peer + " is gone: " + e.getStatus().getDescription(), e);
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
