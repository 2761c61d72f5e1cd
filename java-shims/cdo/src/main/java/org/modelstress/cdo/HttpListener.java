package org.modelstress.cdo;

import java.io.IOException;
import java.security.SecureRandom;
import javax.servlet.ServletException;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.net4j.http.internal.server.HTTPAcceptor;
import org.eclipse.net4j.http.internal.server.Net4jTransportServlet;
import org.eclipse.net4j.http.server.HTTPServerUtil;
import org.eclipse.net4j.util.container.IManagedContainer;
import org.eclipse.net4j.util.security.Randomizer;
import org.eclipse.net4j.util.security.RandomizerFactory;
import org.modelstress.harness.server.ServerException;

/** Net4j's HTTP acceptor and servlet in Jetty. */
final class HttpListener {
  private static final String PATH = "/net4j";

  private HttpListener() {}

  /**
   * Listens on an address; port 0 is any free one.
   *
   * @throws ServerException PORT if the address is in use
   */
  static Listener open(IManagedContainer container, String bind, int port, ServerOptions options)
      throws ServerException {
    HTTPServerUtil.prepareContainer(container);
    container.registerFactory(new SeededRandomizerFactory());
    if (options.httpTransport() == HttpTransport.LONG_POLL) {
      container.registerFactory(new LongPollAcceptor.Factory(options.maxThreads()));
    }
    HTTPAcceptor acceptor = (HTTPAcceptor) HTTPServerUtil.getAcceptor(container, null);
    TransportServlet servlet = new TransportServlet(options.httpTransport());
    acceptor.setServlet(servlet);
    return JettyListener.open("http", bind, port, PATH, servlet, options.maxThreads());
  }

  /**
   * What makes the identifiers of connections, which are all that a request must know to speak for
   * one. Net4j seeds it with the time of day.
   */
  private static final class SeededRandomizerFactory extends RandomizerFactory {
    @Override
    public Randomizer create(String description) {
      Randomizer randomizer = super.create(description);
      randomizer.setSeed(new SecureRandom().generateSeed(32));
      return randomizer;
    }
  }

  /**
   * Net4j's servlet for clients of one transport, and without {@code ?list=}, which tells everybody
   * the identifiers of connections.
   */
  private static final class TransportServlet extends Net4jTransportServlet {
    private static final long serialVersionUID = 1L;

    private final HttpTransport transport;

    TransportServlet(HttpTransport transport) {
      this.transport = transport;
    }

    @Override
    protected void doRequest(HttpServletRequest request, HttpServletResponse response)
        throws ServletException, IOException {
      if (!request.getMethod().equals("POST") || request.getParameter("list") != null) {
        response.sendError(HttpServletResponse.SC_METHOD_NOT_ALLOWED);
        return;
      }
      String asked = request.getHeader(HttpTransport.HEADER);
      String theirs = asked == null ? HttpTransport.STOCK.text() : asked;
      if (!theirs.equals(transport.text())) {
        refuse(
            response,
            HttpServletResponse.SC_BAD_REQUEST,
            "the driver's http_transport is not the server's, which is " + transport.text());
        return;
      }
      try {
        super.doRequest(request, response);
      } catch (IllegalArgumentException e) { // Net4j's acceptor: an unknown identifier
        refuse(response, HttpServletResponse.SC_GONE, "the server has closed the connection");
      }
    }

    private static void refuse(HttpServletResponse response, int status, String sentence)
        throws IOException {
      response.reset();
      response.setStatus(status);
      response.setContentType("text/plain;charset=UTF-8");
      response.getOutputStream().print(sentence);
    }
  }
}
