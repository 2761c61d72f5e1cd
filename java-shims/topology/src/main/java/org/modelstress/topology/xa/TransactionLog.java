package org.modelstress.topology.xa;

import com.arjuna.ats.arjuna.common.CoordinatorEnvironmentBean;
import com.arjuna.ats.arjuna.common.CoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.CoreEnvironmentBeanException;
import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.RecoveryEnvironmentBean;
import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.arjuna.ats.arjuna.common.recoveryPropertyManager;
import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.internal.arjuna.recovery.AtomicActionRecoveryModule;
import com.arjuna.ats.internal.jta.recovery.arjunacore.JTAActionStatusServiceXAResourceOrphanFilter;
import com.arjuna.ats.internal.jta.recovery.arjunacore.JTANodeNameXAResourceOrphanFilter;
import com.arjuna.ats.internal.jta.recovery.arjunacore.JTATransactionLogXAResourceOrphanFilter;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.common.JTAEnvironmentBean;
import com.arjuna.ats.jta.common.jtaPropertyManager;
import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import jakarta.transaction.TransactionManager;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.transaction.xa.XAResource;
import org.modelstress.topology.config.Link;
import org.modelstress.topology.config.ManagerConfig;

/**
 * Narayana, the transaction manager of a process: its decisions are in a folder before they are
 * told to anybody, and what a process that was killed left undecided is rolled back by the next one
 * with the same folder and name. There is one in a process.
 */
public final class TransactionLog implements AutoCloseable {
  private static final int SECONDS_BETWEEN_RECOVERIES = 2;
  private static final int SECONDS_WITHIN_A_RECOVERY = 1;
  private static final int ORPHAN_MILLIS = 2_000;
  private static final int LONGEST_NAME = 28;

  /**
   * Every refused transaction would be a warning with a stack trace; kept, or its level is lost.
   */
  private static final Logger NARAYANA = Logger.getLogger("com.arjuna");

  private static TransactionLog open;

  private final RecoveryManager recovery;
  private final XARecoveryModule branches;

  private TransactionLog(RecoveryManager recovery, XARecoveryModule branches) {
    this.recovery = recovery;
    this.branches = branches;
  }

  /** Whether a manager may write to several servers or stores; members of a mesh are alike. */
  public static boolean isNeeded(ManagerConfig manager) {
    return manager.links().stream().map(Link::imports).distinct().count() > 1;
  }

  /**
   * Opens the log of this process.
   *
   * @param folder for decisions; of no other process
   * @param name by which its branches are known in stores; of no other process
   * @throws IllegalStateException where the process has one
   */
  public static synchronized TransactionLog open(Path folder, String name) {
    if (open != null) {
      throw new IllegalStateException("this process has a transaction log");
    }
    configure(folder, name);
    RecoveryEnvironmentBean settings = recoveryPropertyManager.getRecoveryEnvironmentBean();
    settings.setPeriodicRecoveryPeriod(SECONDS_BETWEEN_RECOVERIES);
    settings.setRecoveryBackoffPeriod(SECONDS_WITHIN_A_RECOVERY);
    settings.setRecoveryListener(false); // it would listen for other processes
    XARecoveryModule branches = new XARecoveryModule();
    settings.setRecoveryModules(List.of(new AtomicActionRecoveryModule(), branches));
    settings.setExpiryScannerClassNames(List.of());
    settings.setRecoveryActivatorClassNames(List.of());
    RecoveryManager recovery = RecoveryManager.manager(RecoveryManager.INDIRECT_MANAGEMENT);
    recovery.initialize();
    recovery.startRecoveryManagerThread();
    open = new TransactionLog(recovery, branches);
    return open;
  }

  private static void configure(Path folder, String name) {
    if (name.length() > LONGEST_NAME) {
      throw new IllegalArgumentException("a name has at most " + LONGEST_NAME + " characters");
    }
    NARAYANA.setLevel(Level.SEVERE);
    try {
      CoreEnvironmentBean core = arjPropertyManager.getCoreEnvironmentBean();
      core.setNodeIdentifier(name);
      core.setSocketProcessIdPort(0);
    } catch (CoreEnvironmentBeanException e) {
      throw new IllegalArgumentException(e);
    }
    CoordinatorEnvironmentBean coordinator = arjPropertyManager.getCoordinatorEnvironmentBean();
    coordinator.setDefaultTimeout(0); // requests have deadlines of their own
    coordinator.setTransactionStatusManagerEnable(false); // it would listen, too
    for (String store : new String[] {null, "communicationStore", "stateStore"}) {
      BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, store)
          .setObjectStoreDir(folder.toString());
    }
    JTAEnvironmentBean jta = jtaPropertyManager.getJTAEnvironmentBean();
    jta.setXaRecoveryNodes(List.of(name));
    // what is neither logged nor under way in this process, but has its name, is rolled back
    jta.setXaResourceOrphanFilters(
        List.of(
            new JTATransactionLogXAResourceOrphanFilter(),
            new JTAActionStatusServiceXAResourceOrphanFilter(),
            new JTANodeNameXAResourceOrphanFilter()));
    jta.setOrphanSafetyInterval(ORPHAN_MILLIS);
  }

  /** Begins and ends transactions of this process's threads. */
  TransactionManager transactions() {
    return com.arjuna.ats.jta.TransactionManager.transactionManager();
  }

  /** Looks at a resource, again and again, for branches that a killed process left. */
  void recover(XAResource resource) {
    branches.addXAResourceRecoveryHelper(
        new XAResourceRecoveryHelper() {
          @Override
          public boolean initialise(String properties) {
            return true;
          }

          @Override
          public XAResource[] getXAResources() {
            return new XAResource[] {resource};
          }
        });
  }

  /** Looks for what is in doubt now, instead of in a few seconds. */
  public void recoverNow() {
    recovery.scan();
  }

  @Override
  public void close() {
    synchronized (TransactionLog.class) {
      recovery.terminate(true);
      open = null;
    }
  }
}
