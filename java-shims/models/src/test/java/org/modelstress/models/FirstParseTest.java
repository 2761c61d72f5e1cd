package org.modelstress.models;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.emf.ecore.impl.EPackageRegistryImpl;
import org.junit.jupiter.api.RepeatedTest;
import org.modelstress.models.ocl.OclQuery;

/** Many threads parse at once where nobody has parsed before, as the clients of a new server do. */
class FirstParseTest {
  private static final int THREADS = 40;

  @RepeatedTest(20)
  void threadsThatAreTheFirstToParseAllSucceed() throws Exception {
    // a class loader of its own has OCL's and EMF's static fields as a new process has
    try (URLClassLoader fresh =
        new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
      Class<?> parsing = fresh.loadClass(Parsing.class.getName());
      assertEquals("", parsing.getMethod("together").invoke(null));
    }
  }

  private static URL[] classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(FirstParseTest::url)
        .toArray(URL[]::new);
  }

  private static URL url(String entry) {
    try {
      return Path.of(entry).toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Loaded anew for every repetition. */
  public static final class Parsing {
    private Parsing() {}

    /** What went wrong in the first thread in which something did, or nothing. */
    public static String together() throws Exception {
      CyclicBarrier barrier = new CyclicBarrier(THREADS);
      ExecutorService threads = Executors.newFixedThreadPool(THREADS);
      try {
        List<Callable<String>> parses =
            IntStream.range(0, THREADS)
                .mapToObj(i -> (Callable<String>) () -> one(barrier))
                .toList();
        for (Future<String> parse : threads.invokeAll(parses)) {
          if (!parse.get().isEmpty()) {
            return parse.get();
          }
        }
        return "";
      } finally {
        threads.shutdownNow();
      }
    }

    private static String one(CyclicBarrier barrier) throws Exception {
      EPackage.Registry registry = new EPackageRegistryImpl();
      registry.put(EcorePackage.eNS_URI, EcorePackage.eINSTANCE);
      barrier.await();
      try {
        OclQuery.parse(
            "ecore::EClass.allInstances()->select(c | c.eSuperTypes->isEmpty())"
                + "->collect(c | Tuple{c = c, n = c.name.size()})",
            registry);
        return "";
      } catch (QueryException e) {
        return e.getMessage();
      }
    }
  }
}
