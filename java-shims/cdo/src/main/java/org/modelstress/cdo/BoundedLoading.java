package org.modelstress.cdo;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.eclipse.emf.cdo.common.protocol.CDODataInput;
import org.eclipse.emf.cdo.server.internal.net4j.protocol.CDOServerProtocol;
import org.eclipse.emf.cdo.server.internal.net4j.protocol.LoadRevisionsIndication;

/**
 * Loads the objects that a client asks for. CDO makes an array as long as the client says its list
 * is, before anything of the list has come; here that length is bounded.
 */
final class BoundedLoading extends LoadRevisionsIndication {
  /** Objects of one request. */
  static final int MOST = 100_000;

  BoundedLoading(CDOServerProtocol protocol) {
    super(protocol);
  }

  @Override
  protected void indicating(CDODataInput in) throws IOException {
    super.indicating(bounded(in));
  }

  /** The same input, whose numbers (lengths and depths) are bounded. */
  private static CDODataInput bounded(CDODataInput in) {
    return (CDODataInput)
        Proxy.newProxyInstance(
            CDODataInput.class.getClassLoader(),
            new Class<?>[] {CDODataInput.class},
            (proxy, method, arguments) -> {
              try {
                Object value = method.invoke(in, arguments);
                if (method.getName().equals("readXInt") && (int) value > MOST) {
                  throw new IOException(
                      "a client asks for " + value + " objects; the server takes " + MOST);
                }
                return value;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
