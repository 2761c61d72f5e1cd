package org.modelstress.cdo.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.StandardSocketOptions;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.client.ClientUpgradeRequest;
import org.eclipse.jetty.websocket.client.WebSocketClient;
import org.eclipse.net4j.Net4jUtil;
import org.eclipse.net4j.util.container.ContainerUtil;
import org.eclipse.net4j.util.container.IManagedContainer;
import org.eclipse.net4j.util.lifecycle.LifecycleUtil;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nagle's algorithm is as wanted at both ends, whatever Jetty's default is. */
@Timeout(60)
class NoDelayTest {
  private static final class Client extends WebSocketConnector {
    Client(boolean noDelay) {
      super(noDelay);
    }

    @Override
    public Location getLocation() {
      return Location.CLIENT;
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void bothEndsAreAsWanted(boolean noDelay) throws Exception {
    IManagedContainer container = ContainerUtil.createContainer();
    Net4jUtil.prepareContainer(container);
    container.activate();
    Server jetty = new Server();
    WebSocketClient client = new WebSocketClient();
    // Jetty is told the opposite
    client.getHttpClient().setTCPNoDelay(!noDelay);
    try {
      ServerConnector connector = new ServerConnector(jetty);
      connector.setHost("127.0.0.1");
      connector.setAcceptedTcpNoDelay(!noDelay);
      jetty.addConnector(connector);
      ServletContextHandler context = new ServletContextHandler();
      WebSocketAcceptor acceptor = WebSocketAcceptor.in(container, noDelay);
      context.addServlet(new ServletHolder(new UpgradeServlet(acceptor)), WebSocketConnector.PATH);
      jetty.setHandler(context);
      jetty.start();
      client.start();
      URI uri = URI.create("ws://127.0.0.1:" + connector.getLocalPort() + WebSocketConnector.PATH);
      Session session =
          client
              .connect(new Client(noDelay).events(), uri, new ClientUpgradeRequest())
              .get(30, TimeUnit.SECONDS);
      assertEquals(noDelay, Sockets.of(session).getOption(StandardSocketOptions.TCP_NODELAY));
      while (acceptor.getAcceptedConnectors().length == 0) {
        Thread.sleep(10);
      }
      WebSocketConnector accepted = (WebSocketConnector) acceptor.getAcceptedConnectors()[0];
      assertEquals(
          noDelay, Sockets.of(accepted.session()).getOption(StandardSocketOptions.TCP_NODELAY));
    } finally {
      client.stop();
      LifecycleUtil.deactivate(container);
      jetty.stop();
    }
  }
}
