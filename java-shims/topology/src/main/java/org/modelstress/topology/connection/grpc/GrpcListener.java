package org.modelstress.topology.connection.grpc;

import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.modelstress.topology.connection.Listener;
import org.modelstress.topology.connection.RequestHandler;
import org.modelstress.topology.grpc.CommitRequest;
import org.modelstress.topology.grpc.FetchRequest;
import org.modelstress.topology.grpc.FindRequest;
import org.modelstress.topology.grpc.FinishRequest;
import org.modelstress.topology.grpc.InDoubtRequest;
import org.modelstress.topology.grpc.ObjectManagerGrpc;
import org.modelstress.topology.grpc.PrepareRequest;
import org.modelstress.topology.grpc.ReplyMessage;
import org.modelstress.topology.schema.Schema;
import org.modelstress.topology.wire.Request;

/** Answers clients that speak gRPC. */
public final class GrpcListener implements Listener {
  /** Bytes of a message at most. */
  static final int LARGEST = 16 << 20;

  private static final long ENDING_SECONDS = 1;

  private final Server server;

  /**
   * Listens.
   *
   * @param address port 0: any that is free
   * @param handler of requests, in threads of its own
   * @throws IOException where the address cannot be had
   */
  public GrpcListener(InetSocketAddress address, RequestHandler handler, Schema schema)
      throws IOException {
    this.server =
        NettyServerBuilder.forAddress(address)
            .directExecutor() // requests wait in the handler's queue, not in another one
            .maxInboundMessageSize(LARGEST)
            .addService(new Service(handler, new Messages(schema)))
            .build()
            .start();
  }

  @Override
  public InetSocketAddress address() {
    return (InetSocketAddress) server.getListenSockets().get(0);
  }

  @Override
  public void close() {
    server.shutdownNow();
    try {
      server.awaitTermination(ENDING_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class Service extends ObjectManagerGrpc.ObjectManagerImplBase {
    private final RequestHandler handler;
    private final Messages messages;

    Service(RequestHandler handler, Messages messages) {
      this.handler = handler;
      this.messages = messages;
    }

    private void answer(Supplier<Request> reading, StreamObserver<ReplyMessage> to) {
      Request request;
      try {
        request = reading.get();
      } catch (IllegalArgumentException e) {
        to.onError(Status.INVALID_ARGUMENT.withDescription(e.getMessage()).asException());
        return;
      }
      // else telling a client that has given up would be an exception
      ((ServerCallStreamObserver<ReplyMessage>) to).setOnCancelHandler(() -> {});
      handler.handle(
          request,
          reply -> {
            to.onNext(messages.reply(reply));
            to.onCompleted();
          });
    }

    @Override
    public void find(FindRequest find, StreamObserver<ReplyMessage> to) {
      answer(
          () ->
              new Request.Find(
                  find.getQuery(),
                  Messages.plain(find.getParametersList()),
                  Messages.targets(find.getTargetsList())),
          to);
    }

    @Override
    public void fetch(FetchRequest fetch, StreamObserver<ReplyMessage> to) {
      answer(
          () ->
              new Request.Fetch(
                  fetch.getType(),
                  fetch.getOidsList().stream().mapToLong(Long::longValue).toArray(),
                  fetch.getFreshMillis(),
                  Messages.targets(fetch.getTargetsList())),
          to);
    }

    @Override
    public void commit(CommitRequest commit, StreamObserver<ReplyMessage> to) {
      answer(() -> new Request.Commit(messages.writes(commit.getWritesList())), to);
    }

    @Override
    public void prepare(PrepareRequest prepare, StreamObserver<ReplyMessage> to) {
      answer(
          () ->
              new Request.Prepare(
                  Messages.branch(prepare.getBranch()), messages.writes(prepare.getWritesList())),
          to);
    }

    @Override
    public void finish(FinishRequest finish, StreamObserver<ReplyMessage> to) {
      answer(
          () ->
              new Request.Finish(
                  Messages.branch(finish.getBranch()),
                  Messages.numbers(finish.getStoresList()),
                  finish.getCommit()),
          to);
    }

    @Override
    public void inDoubt(InDoubtRequest inDoubt, StreamObserver<ReplyMessage> to) {
      answer(() -> new Request.InDoubt(Messages.numbers(inDoubt.getStoresList())), to);
    }
  }
}
