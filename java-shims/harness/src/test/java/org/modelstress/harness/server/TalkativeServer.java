package org.modelstress.harness.server;

import java.nio.file.Files;
import java.util.Map;

/** A server with every bad habit: prints to System.out, leaves threads, closes slowly if told. */
public final class TalkativeServer implements ToolServer {
  public static void main(String[] args) {
    ServerMain.run(args, new TalkativeServer());
  }

  @Override
  public void load(ServerConfig config, Progress progress) throws ServerException {
    System.out.println("library banner");
    if (config.dataset() != null) {
      System.err.println("loads " + config.dataset().name() + " " + config.dataset().parameters());
    }
    for (int i = 0; i <= 1000; i++) {
      progress.at(i, 1000);
    }
    startEndlessThread();
  }

  @Override
  public Running serve(ServerConfig config) throws ServerException {
    System.out.println("library banner");
    System.err.println(
        "node " + config.node() + " is " + config.role() + " with peers " + config.peers());
    startEndlessThread();
    switch (String.valueOf(config.options().get("fail"))) {
      case "store" ->
          throw new ServerException(
              ServerException.Exit.STORE, "store is of version 9,\nreload it", null);
      case "port" -> throw Ports.busy(config.bind(), 1, new java.net.BindException("busy"));
      case "bind" -> throw new IllegalStateException(new java.net.BindException("busy"));
      case "unloaded" -> config.requiredStore();
      case "bug" -> throw new IllegalArgumentException("a bug");
      default -> {}
    }
    try {
      Files.writeString(Stores.copyToWork(config).resolve("changed"), "yes");
    } catch (java.io.IOException e) {
      throw new ServerException(ServerException.Exit.INTERNAL, e.toString(), e);
    }
    return new Running() {
      @Override
      public Map<String, String> endpoints() {
        return Map.of("tcp", "tcp://127.0.0.1:1");
      }

      @Override
      public void close() {
        System.err.println("closing");
        if (config.options().containsKey("hang")) {
          while (true) {
            Thread.onSpinWait();
          }
        }
      }
    };
  }

  private static void startEndlessThread() {
    new Thread(
            () -> {
              while (true) {
                java.util.concurrent.locks.LockSupport.park();
              }
            })
        .start();
  }
}
