package org.modelstress.cdo;

import java.util.Set;
import org.eclipse.emf.cdo.common.protocol.CDOProtocolConstants;
import org.eclipse.emf.cdo.server.internal.net4j.protocol.CDOServerProtocol;
import org.eclipse.emf.cdo.server.internal.net4j.protocol.CDOServerProtocolFactory;
import org.eclipse.emf.cdo.spi.server.ContainerRepositoryProvider;
import org.eclipse.net4j.signal.IndicationWithResponse;
import org.eclipse.net4j.signal.SignalProtocol;
import org.eclipse.net4j.signal.SignalReactor;
import org.eclipse.net4j.util.container.IManagedContainer;
import org.eclipse.net4j.util.io.ExtendedDataInputStream;
import org.eclipse.net4j.util.io.ExtendedDataOutputStream;

/**
 * Gives the server's end of every session its signal timeout, and lets a served store be read only.
 * A client with another timeout than Net4j's default announces its own after opening, and that one
 * then holds for both ends.
 */
final class ServerProtocolFactory extends CDOServerProtocolFactory {
  /**
   * What a session that reads asks for. A commit could bring a metamodel, whose data types are Java
   * classes to be instantiated.
   */
  private static final Set<Short> READING =
      Set.of(
          CDOProtocolConstants.SIGNAL_OPEN_SESSION,
          CDOProtocolConstants.SIGNAL_OPENED_SESSION,
          CDOProtocolConstants.SIGNAL_OPEN_VIEW,
          CDOProtocolConstants.SIGNAL_SWITCH_TARGET,
          CDOProtocolConstants.SIGNAL_CLOSE_VIEW,
          CDOProtocolConstants.SIGNAL_LOAD_PACKAGES,
          CDOProtocolConstants.SIGNAL_LOAD_REVISIONS,
          CDOProtocolConstants.SIGNAL_LOAD_REVISION_BY_VERSION,
          CDOProtocolConstants.SIGNAL_LOAD_CHUNK,
          CDOProtocolConstants.SIGNAL_LOAD_BRANCH,
          CDOProtocolConstants.SIGNAL_LOAD_SUB_BRANCHES,
          CDOProtocolConstants.SIGNAL_LOAD_BRANCHES,
          CDOProtocolConstants.SIGNAL_QUERY,
          CDOProtocolConstants.SIGNAL_QUERY_CANCEL,
          CDOProtocolConstants.SIGNAL_REFRESH_SESSION,
          CDOProtocolConstants.SIGNAL_DISABLE_PASSIVE_UPDATE,
          CDOProtocolConstants.SIGNAL_SET_PASSIVE_UPDATE_MODE,
          CDOProtocolConstants.SIGNAL_CHANGE_SUBSCRIPTION,
          CDOProtocolConstants.SIGNAL_REPOSITORY_TIME,
          CDOProtocolConstants.SIGNAL_LOCK_STATE,
          CDOProtocolConstants.SIGNAL_ENABLE_LOCK_NOTIFICATION,
          CDOProtocolConstants.SIGNAL_SET_LOCK_NOTIFICATION_MODE);

  private final ContainerRepositoryProvider repositories;
  private final long timeoutMs;
  private final boolean readOnly;

  ServerProtocolFactory(IManagedContainer container, long timeoutMs, boolean readOnly) {
    this(new ContainerRepositoryProvider(container), timeoutMs, readOnly);
  }

  private ServerProtocolFactory(
      ContainerRepositoryProvider repositories, long timeoutMs, boolean readOnly) {
    super(repositories);
    this.repositories = repositories;
    this.timeoutMs = timeoutMs;
    this.readOnly = readOnly;
  }

  @Override
  public CDOServerProtocol create(String description) {
    CDOServerProtocol protocol = readOnly ? reading() : super.create(description);
    protocol.setTimeout(timeoutMs);
    return protocol;
  }

  private CDOServerProtocol reading() {
    CDOServerProtocol protocol = new ReadingProtocol();
    protocol.setStreamWrapper(new BoundedInput.Wrapper());
    return protocol;
  }

  private final class ReadingProtocol extends CDOServerProtocol {
    ReadingProtocol() {
      super(repositories);
    }

    @Override
    protected SignalReactor createSignalReactor(short signal) {
      if (signal == CDOProtocolConstants.SIGNAL_LOAD_REVISIONS) {
        return new BoundedLoading(this);
      }
      // negative ones are Net4j's own: timeouts, progress, exceptions
      return signal < 0 || READING.contains(signal)
          ? super.createSignalReactor(signal)
          : new Refusal(this, signal);
    }
  }

  /** Answers that a store is read only, and reads nothing of what was sent. */
  private static final class Refusal extends IndicationWithResponse {
    Refusal(SignalProtocol<?> protocol, short signal) {
      super(protocol, signal);
    }

    @Override
    protected void indicating(ExtendedDataInputStream in) {
      throw new UnsupportedOperationException("The server's store can only be read.");
    }

    @Override
    protected void responding(ExtendedDataOutputStream out) {
      throw new IllegalStateException("a refused signal has no response");
    }
  }
}
