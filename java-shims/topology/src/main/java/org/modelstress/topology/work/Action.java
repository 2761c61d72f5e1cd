package org.modelstress.topology.work;

import java.util.Map;
import java.util.function.Supplier;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.topology.manager.Transaction;
import org.modelstress.topology.manager.TransactionException;

/** An operation of a client. */
@FunctionalInterface
public interface Action {
  /**
   * Executes it.
   *
   * @param begin begins a transaction
   * @param parameters of the operation, from the study
   * @throws TransactionException where a transaction was aborted or failed
   */
  Outcome run(Supplier<Transaction> begin, Map<String, Object> parameters)
      throws TransactionException;
}
