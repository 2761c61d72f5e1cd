package org.modelstress.thrift.server;

import java.util.List;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TException;
import org.modelstress.hawk.api.Credentials;
import org.modelstress.hawk.api.Hawk;
import org.modelstress.hawk.api.Repository;
import org.modelstress.hawk.api.Subscription;
import org.modelstress.hawk.api.SubscriptionDurability;

/**
 * Calls of Hawk's API that no store here serves: their arguments are read, because the tuple
 * protocol cannot skip what it does not know, and the answer is Thrift's for an unknown method.
 */
public interface UnservedCalls extends Hawk.Iface {
  /** Thrift's answer to a call that is not served. */
  static TApplicationException refusal(String method) {
    return new TApplicationException(
        TApplicationException.UNKNOWN_METHOD, "Invalid method name: '" + method + "'");
  }

  @Override
  default void createInstance(
      String name, String backend, int minimum, int maximum, List<String> plugins, String factory)
      throws TException {
    throw refusal("createInstance");
  }

  @Override
  default void removeInstance(String name) throws TException {
    throw refusal("removeInstance");
  }

  @Override
  default void addRepository(String name, Repository repository, Credentials credentials)
      throws TException {
    throw refusal("addRepository");
  }

  @Override
  default boolean isFrozen(String name, String uri) throws TException {
    throw refusal("isFrozen");
  }

  @Override
  default void setFrozen(String name, String uri, boolean isFrozen) throws TException {
    throw refusal("setFrozen");
  }

  @Override
  default void removeRepository(String name, String uri) throws TException {
    throw refusal("removeRepository");
  }

  @Override
  default void updateRepositoryCredentials(String name, String uri, Credentials credentials)
      throws TException {
    throw refusal("updateRepositoryCredentials");
  }

  @Override
  default void configurePolling(String name, int base, int max) throws TException {
    throw refusal("configurePolling");
  }

  @Override
  default Subscription watchStateChanges(String name) throws TException {
    throw refusal("watchStateChanges");
  }

  @Override
  default Subscription watchModelChanges(
      String name, String uri, List<String> files, String client, SubscriptionDurability durability)
      throws TException {
    throw refusal("watchModelChanges");
  }
}
