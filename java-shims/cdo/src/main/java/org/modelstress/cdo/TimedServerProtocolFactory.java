package org.modelstress.cdo;

import org.eclipse.emf.cdo.server.internal.net4j.protocol.CDOServerProtocol;
import org.eclipse.emf.cdo.server.internal.net4j.protocol.CDOServerProtocolFactory;
import org.eclipse.emf.cdo.spi.server.ContainerRepositoryProvider;
import org.eclipse.net4j.util.container.IManagedContainer;

/**
 * Gives the server's end of every session its signal timeout. A client with another timeout than
 * Net4j's default announces its own after opening, and that one then holds for both ends.
 */
final class TimedServerProtocolFactory extends CDOServerProtocolFactory {
  private final long timeoutMs;

  TimedServerProtocolFactory(IManagedContainer container, long timeoutMs) {
    super(new ContainerRepositoryProvider(container));
    this.timeoutMs = timeoutMs;
  }

  @Override
  public CDOServerProtocol create(String description) {
    CDOServerProtocol protocol = super.create(description);
    protocol.setTimeout(timeoutMs);
    return protocol;
  }
}
