package org.modelstress.models;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A JVM of its own with this module's class path. */
public final class JavaProcess {
  private JavaProcess() {}

  /**
   * Starts it; its stderr goes to a file.
   *
   * @param heap such as {@code -Xmx256m}
   */
  public static Process start(Path errors, String heap, Class<?> main, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(errors.toFile()).start();
  }
}
