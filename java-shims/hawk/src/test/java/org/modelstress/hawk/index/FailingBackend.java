package org.modelstress.hawk.index;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphException;
import org.modelstress.hawk.graph.GraphLoader;
import org.modelstress.hawk.graph.GraphWriter;

/** Another backend whose disk is full after so many writes. */
final class FailingBackend implements Backend {
  private static final Set<String> WRITES =
      Arrays.stream(GraphWriter.class.getDeclaredMethods())
          .map(Method::getName)
          .collect(Collectors.toSet());

  private final Backend backend;
  private int left;

  FailingBackend(Backend backend, int writes) {
    this.backend = backend;
    this.left = writes;
  }

  @Override
  public String name() {
    return backend.name();
  }

  @Override
  public String version() {
    return backend.version();
  }

  @Override
  public GraphLoader load(Path folder, int cacheMegabytes) {
    return backend.load(folder, cacheMegabytes);
  }

  @Override
  public Graph open(Path folder, int cacheMegabytes) {
    Graph graph = backend.open(folder, cacheMegabytes);
    return proxy(
        Graph.class,
        (self, method, arguments) ->
            method.getName().equals("write")
                ? proxy(GraphWriter.class, failing(graph.write()))
                : call(graph, method, arguments));
  }

  private InvocationHandler failing(GraphWriter writer) {
    return (self, method, arguments) -> {
      if (WRITES.contains(method.getName()) && left-- <= 0) {
        throw new GraphException("disk full", null);
      }
      return call(writer, method, arguments);
    };
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
