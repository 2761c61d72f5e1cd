package org.modelstress.topology.xa;

import jakarta.transaction.HeuristicMixedException;
import jakarta.transaction.HeuristicRollbackException;
import jakarta.transaction.NotSupportedException;
import jakarta.transaction.RollbackException;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionManager;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.connection.Connection;
import org.modelstress.topology.manager.Coordinator;
import org.modelstress.topology.wire.Reply.End;
import org.modelstress.topology.wire.Reply.Ended;
import org.modelstress.topology.wire.Write;

/** Ends transactions on several connections by two phases, coordinated by Narayana. */
public final class TwoPhaseCoordinator implements Coordinator {
  private static final long RECOVERY_MILLIS = 5_000;

  private final TransactionLog log;

  /**
   * A coordinator.
   *
   * @param log of the process; not closed with it
   * @param connections that are looked at for what a killed process left in doubt
   */
  public TwoPhaseCoordinator(
      TransactionLog log, Topology topology, Collection<Connection> connections) {
    this.log = log;
    for (Connection connection : connections) {
      int[] stores =
          connection.imports().stream()
              .mapToInt(part -> topology.stores().get(part.store()))
              .distinct()
              .toArray();
      log.recover(LinkResource.ofRecovery(connection, stores, RECOVERY_MILLIS));
    }
  }

  @Override
  public Ended commit(Map<Connection, ArrayList<Write>> writes, long timeoutMillis) {
    List<LinkResource> resources = new ArrayList<>();
    writes.forEach(
        (connection, its) ->
            resources.add(new LinkResource(connection, its, Write.storesOf(its), timeoutMillis)));
    TransactionManager transactions = log.transactions();
    try {
      transactions.begin();
      for (LinkResource resource : resources) {
        transactions.getTransaction().enlistResource(resource);
      }
      transactions.commit();
      return Ended.COMMITTED;
    } catch (RollbackException e) {
      return refused(resources, e);
    } catch (HeuristicMixedException | HeuristicRollbackException | SystemException e) {
      return new Ended(End.UNKNOWN, "the transaction manager says: " + e);
    } catch (NotSupportedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Ended refused(List<LinkResource> resources, RollbackException e) {
    for (LinkResource resource : resources) {
      if (resource.refused() != null) {
        return resource.refused();
      }
    }
    return new Ended(End.UNREACHABLE, "the transaction was rolled back: " + e.getMessage());
  }

  @Override
  public void close() {
    // the log is the process's
  }
}
