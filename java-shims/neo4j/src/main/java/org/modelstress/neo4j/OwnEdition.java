package org.modelstress.neo4j;

import java.io.IOException;
import java.util.Collections;
import javax.servlet.FilterChain;
import javax.servlet.ServletException;
import javax.servlet.http.HttpFilter;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.neo4j.bolt.tx.TransactionManager;
import org.neo4j.collection.Dependencies;
import org.neo4j.configuration.Config;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.graphdb.factory.module.GlobalModule;
import org.neo4j.graphdb.factory.module.edition.CommunityEditionModule;
import org.neo4j.kernel.impl.factory.DbmsInfo;
import org.neo4j.kernel.lifecycle.Lifecycle;
import org.neo4j.logging.InternalLogProvider;
import org.neo4j.server.CommunityNeoWebServer;
import org.neo4j.server.web.WebServer;

/**
 * The Community Edition whose HTTP server turns web pages away. Neo4j leaves that to passwords, but
 * a client who has one may do everything.
 */
@SuppressWarnings("unchecked") // of Neo4j, between two of its classes
final class OwnEdition extends CommunityEditionModule {
  private final GlobalModule module;

  OwnEdition(GlobalModule module) {
    super(module);
    this.module = module;
  }

  @Override
  public Lifecycle createWebServer(
      DatabaseManagementService service,
      TransactionManager transactions,
      Dependencies dependencies,
      Config config,
      InternalLogProvider log,
      DbmsInfo info) {
    return new CommunityNeoWebServer(
        service,
        transactions,
        dependencies,
        config,
        log,
        info,
        module.getMemoryPools(),
        module.getGlobalMonitors(),
        module.getGlobalClock()) {
      @Override
      protected WebServer createWebServer() {
        WebServer server = super.createWebServer();
        server.addFilter(new OwnRequests(), "/*");
        return server;
      }
    };
  }

  /** Refuses what a browser sends for a page of somebody else. */
  private static final class OwnRequests extends HttpFilter {
    private static final long serialVersionUID = 1L;
    private static final String LOOPBACK =
        "(?i)(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d{1,5})?";

    @Override
    protected void doFilter(
        HttpServletRequest request, HttpServletResponse response, FilterChain chain)
        throws IOException, ServletException {
      boolean local = request.getLocalAddr().matches("127\\..*|\\[?(0:|:)*:1]?");
      if (!request.getMethod().equals("POST")) {
        response.sendError(HttpServletResponse.SC_METHOD_NOT_ALLOWED);
      } else if (request.getHeader("Origin") != null || (local && !isOwnHost(request))) {
        response.sendError(HttpServletResponse.SC_FORBIDDEN);
      } else {
        chain.doFilter(request, response);
      }
    }

    /** A name that somebody else made lead here is not ours. */
    private static boolean isOwnHost(HttpServletRequest request) {
      return Collections.list(request.getHeaders("Host")).stream()
          .allMatch(h -> h.matches(LOOPBACK));
    }
  }
}
