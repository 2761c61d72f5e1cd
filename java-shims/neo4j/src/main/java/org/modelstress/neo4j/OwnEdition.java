package org.modelstress.neo4j;

import java.io.IOException;
import javax.servlet.FilterChain;
import javax.servlet.ServletException;
import javax.servlet.ServletRequest;
import javax.servlet.ServletResponse;
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
        server.addFilter(OwnEdition::filter, "/*");
        return server;
      }
    };
  }

  /**
   * Answers queries on the model. Refuses what a browser sends for a page of somebody else: it has
   * an origin, or a name that its owner made lead here. Nobody owns an address or {@code
   * localhost}.
   */
  private static void filter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    HttpServletRequest asked = (HttpServletRequest) request;
    if (asked.getMethod().equals("POST")
        && asked.getRequestURI().equals("/db/neo4j/tx/commit")
        && asked.getHeader("Origin") == null
        && asked.getServerName().matches("localhost|[\\d.]+|\\[[\\p{XDigit}:]+]")) {
      chain.doFilter(request, response);
    } else {
      ((HttpServletResponse) response).sendError(HttpServletResponse.SC_FORBIDDEN);
    }
  }
}
