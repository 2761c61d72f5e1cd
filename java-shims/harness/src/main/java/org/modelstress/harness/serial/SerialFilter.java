package org.modelstress.harness.serial;

import java.io.ObjectInputFilter.Config;
import java.io.ObjectInputFilter.FilterInfo;
import java.io.ObjectInputFilter.Status;
import java.util.List;
import java.util.Set;

/**
 * The filter of everything that this process deserialises with Java's own serialisation: exceptions
 * of the JDK and of the tools, with their stack traces, within limits, and nothing else. Net4j
 * deserialises exceptions of any peer, before it knows who that is.
 */
public final class SerialFilter {
  static final long MOST_BYTES = 1 << 20;
  static final long MOST_REFERENCES = 20_000;
  static final long MOST_DEPTH = 64;
  static final long LONGEST_ARRAY = 5_000;

  /** Packages whose exceptions are told as they are; of others only the message arrives. */
  private static final List<String> EXCEPTIONS =
      List.of(
          "java.io.",
          "java.lang.",
          "java.net.",
          "java.nio.",
          "java.rmi.",
          "java.sql.",
          "java.util.",
          "org.eclipse.",
          "org.h2.",
          "org.modelstress.");

  /** What exceptions are made of. Nothing that hashes or compares what it holds. */
  private static final Set<String> PARTS =
      Set.of(
          "java.lang.Boolean",
          "java.lang.Byte",
          "java.lang.Character",
          "java.lang.Double",
          "java.lang.Float",
          "java.lang.Integer",
          "java.lang.Long",
          "java.lang.Number",
          "java.lang.Object",
          "java.lang.Short",
          "java.lang.StackTraceElement",
          "java.lang.String",
          "java.util.ArrayList",
          "java.util.CollSer",
          "java.util.Collections$EmptyList",
          "java.util.Collections$UnmodifiableCollection",
          "java.util.Collections$UnmodifiableList",
          "java.util.Collections$UnmodifiableRandomAccessList");

  private SerialFilter() {}

  /** Sets the filter for the whole process, unless it has one from its command line. */
  public static synchronized void install() {
    if (Config.getSerialFilter() == null) {
      Config.setSerialFilter(SerialFilter::check);
    }
  }

  static Status check(FilterInfo info) {
    if (info.streamBytes() > MOST_BYTES
        || info.references() > MOST_REFERENCES
        || info.depth() > MOST_DEPTH
        || info.arrayLength() > LONGEST_ARRAY) {
      return Status.REJECTED;
    }
    Class<?> given = info.serialClass();
    if (given == null) {
      return Status.UNDECIDED; // only the limits are asked about
    }
    while (given.isArray()) {
      given = given.getComponentType();
    }
    return given.isPrimitive() || isException(given) || PARTS.contains(given.getName())
        ? Status.ALLOWED
        : Status.REJECTED;
  }

  private static boolean isException(Class<?> given) {
    return Throwable.class.isAssignableFrom(given)
        && EXCEPTIONS.stream().anyMatch(given.getName()::startsWith);
  }
}
