package org.modelstress.cdo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.client.WebSocketClient;
import org.eclipse.net4j.Net4jUtil;
import org.eclipse.net4j.util.container.ContainerUtil;
import org.eclipse.net4j.util.container.IManagedContainer;
import org.eclipse.net4j.util.lifecycle.LifecycleUtil;
import org.eclipse.net4j.util.security.ChallengeNegotiator;
import org.eclipse.net4j.util.security.PasswordCredentialsProvider;
import org.eclipse.net4j.util.security.Randomizer;
import org.eclipse.net4j.util.security.ResponseNegotiator;
import org.eclipse.net4j.util.security.UserManager;
import org.eclipse.spi.net4j.ConnectorFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.modelstress.cdo.websocket.WebSocketAcceptor;
import org.modelstress.cdo.websocket.WebSocketConnector;

/** Net4j's own password negotiators over the WebSocket transport. */
@Timeout(120)
class WebSocketNegotiationTest {
  private static final IManagedContainer SERVER = ContainerUtil.createContainer();
  private static final WebSocketClient SOCKETS = new WebSocketClient();
  private static WebSocketAcceptor acceptor;
  private static Listener listener;

  @BeforeAll
  static void listen() throws Exception {
    Net4jUtil.prepareContainer(SERVER);
    SERVER.addPostProcessor(
        (container, group, type, description, element) -> {
          if (element instanceof WebSocketAcceptor made) {
            made.setNegotiator(challenge());
            acceptor = made;
          }
          return element;
        });
    SERVER.activate();
    listener = Listener.open("websocket", SERVER, "127.0.0.1", 0, ServerOptions.of(Map.of()));
    SOCKETS.start();
  }

  @AfterAll
  static void close() throws Exception {
    SOCKETS.stop();
    listener.close();
    LifecycleUtil.deactivate(SERVER);
  }

  private static ChallengeNegotiator challenge() {
    Randomizer randomizer = new Randomizer();
    randomizer.activate();
    UserManager users = new UserManager();
    users.activate();
    users.addUser("rita", "secret".toCharArray());
    ChallengeNegotiator negotiator = new ChallengeNegotiator();
    negotiator.setRandomizer(randomizer);
    negotiator.setUserManager(users);
    negotiator.activate();
    return negotiator;
  }

  private static final class Client extends WebSocketConnector {
    private final CompletableFuture<Throwable> lost = new CompletableFuture<>();

    Client() {
      super(true);
    }

    @Override
    protected void doActivate() throws Exception {
      super.doActivate();
      SOCKETS.connect(events(), URI.create(listener.endpoint()));
    }

    @Override
    protected void connected(Session made) {
      super.connected(made);
      leaveConnecting();
    }

    @Override
    protected void lost(Throwable cause) {
      super.lost(cause);
      lost.complete(cause);
    }

    @Override
    public Location getLocation() {
      return Location.CLIENT;
    }
  }

  /** A connector in a container of its own, on its way. */
  private static Client connect(IManagedContainer container, String password) {
    Net4jUtil.prepareContainer(container);
    container.registerFactory(
        new ConnectorFactory("ws") {
          @Override
          public Client create(String description) {
            ResponseNegotiator negotiator = new ResponseNegotiator();
            negotiator.setCredentialsProvider(new PasswordCredentialsProvider("rita", password));
            negotiator.activate();
            Client client = new Client();
            client.setNegotiator(negotiator);
            return client;
          }
        });
    container.activate();
    Client client =
        (Client) container.getElement(ConnectorFactory.PRODUCT_GROUP, "ws", "server", false);
    client.connectAsync();
    return client;
  }

  @Test
  void theRightPasswordConnects() throws Exception {
    IManagedContainer container = ContainerUtil.createContainer();
    Client client = connect(container, "secret");
    try {
      client.waitForConnection(30_000);
      assertTrue(client.isActive());
      await(() -> acceptor.getAcceptedConnectors().length == 1);
      assertEquals("rita", acceptor.getAcceptedConnectors()[0].getUserID());
    } finally {
      LifecycleUtil.deactivate(container);
    }
    await(() -> acceptor.getAcceptedConnectors().length == 0);
  }

  @Test
  void aWrongPasswordDoesNot() throws Exception {
    IManagedContainer container = ContainerUtil.createContainer();
    Client client = connect(container, "guessed");
    try {
      client.lost.get(30, TimeUnit.SECONDS);
      assertFalse(client.isActive());
      await(() -> acceptor.getAcceptedConnectors().length == 0);
      await(() -> SOCKETS.getOpenSessions().isEmpty());
    } finally {
      LifecycleUtil.deactivate(container);
    }
  }

  private static void await(java.util.function.BooleanSupplier condition) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, "not within 30 s");
      Thread.sleep(20);
    }
  }
}
