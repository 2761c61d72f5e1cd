package org.modelstress.cdo.driver;

import java.io.Serializable;
import javax.naming.NamingException;
import org.eclipse.emf.cdo.net4j.CDONet4jSession;
import org.eclipse.emf.cdo.net4j.CDONet4jSessionConfiguration;
import org.eclipse.emf.cdo.net4j.CDONet4jUtil;
import org.eclipse.net4j.Net4jUtil;
import org.eclipse.net4j.signal.Request;
import org.eclipse.net4j.signal.SignalProtocol;
import org.eclipse.net4j.util.container.ContainerUtil;
import org.eclipse.net4j.util.container.IManagedContainer;
import org.eclipse.net4j.util.io.ExtendedDataOutputStream;
import org.eclipse.net4j.util.io.ExtendedIOUtil;
import org.eclipse.net4j.util.lifecycle.LifecycleUtil;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Options;

/**
 * A session of CDO itself over the driver's connection: it can ask for what the driver does not.
 */
public final class RawClient implements AutoCloseable {
  private final IManagedContainer container = ContainerUtil.createContainer();
  private final SharedWebSockets webSockets = new SharedWebSockets();
  private final Link link;
  private final CDONet4jSession session;

  /** Opens a session with a server. */
  public RawClient(Endpoint endpoint, Options options) throws Exception {
    Link.Maker maker = Link.maker(endpoint, options, () -> {}, webSockets);
    Net4jUtil.prepareContainer(container);
    maker.prepare(container);
    CDONet4jUtil.prepareContainer(container);
    container.activate();
    maker.connect(container, endpoint);
    link = maker.made();
    CDONet4jSessionConfiguration configuration = CDONet4jUtil.createNet4jSessionConfiguration();
    configuration.setConnector(link);
    configuration.setRepositoryName(CdoSession.REPOSITORY);
    configuration.setSignalTimeout(30_000);
    session = configuration.openNet4jSession();
  }

  public CDONet4jSession session() {
    return session;
  }

  /** The session's end of its protocol. */
  public SignalProtocol<?> protocol() {
    return (SignalProtocol<?>) session.options().getNet4jProtocol();
  }

  /** Tells a peer of an exception, as Net4j does, with something inside it. */
  public static void tell(SignalProtocol<?> protocol, Serializable inside) throws Exception {
    NamingException exception = new NamingException("told");
    exception.setResolvedObj(inside);
    new Request(protocol, SignalProtocol.SIGNAL_REMOTE_EXCEPTION) {
      @Override
      protected void requesting(ExtendedDataOutputStream out) throws Exception {
        out.writeInt(4711);
        out.writeBoolean(false);
        out.writeString("told");
        out.writeByteArray(ExtendedIOUtil.serializeThrowable(exception));
      }
    }.sendAsync();
  }

  @Override
  public void close() {
    LifecycleUtil.deactivate(session);
    link.release();
    LifecycleUtil.deactivate(container);
    webSockets.close();
  }
}
