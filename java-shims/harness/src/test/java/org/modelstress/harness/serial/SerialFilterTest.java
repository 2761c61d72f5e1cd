package org.modelstress.harness.serial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InvalidClassException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What Java's deserialisation makes once the filter is installed, and what it does not. */
class SerialFilterTest {
  private static Object copy(Object original) throws IOException, ClassNotFoundException {
    SerialFilter.install();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(original);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return in.readObject();
    }
  }

  @Test
  void exceptionsArriveWhole() throws Exception {
    SQLException cause = new SQLException("no such table", "42S02", 42);
    IllegalStateException original = new IllegalStateException("the store failed", cause);
    original.addSuppressed(new IOException("and could not be closed"));
    IllegalStateException copy = (IllegalStateException) copy(original);
    assertEquals(original.getMessage(), copy.getMessage());
    assertEquals(Arrays.toString(original.getStackTrace()), Arrays.toString(copy.getStackTrace()));
    assertEquals(42, ((SQLException) copy.getCause()).getErrorCode());
    assertEquals("and could not be closed", copy.getSuppressed()[0].getMessage());
  }

  private record Foreign(String text) implements Serializable {}

  private static final class ForeignException extends javax.naming.NamingException {
    private static final long serialVersionUID = 1L;
  }

  static List<Object> refused() {
    Throwable deep = new RuntimeException();
    for (int i = 0; i < 200; i++) {
      deep = new RuntimeException(deep);
    }
    return List.of(
        new HashSet<>(List.of("a")),
        new TreeMap<>(),
        new Foreign("a"),
        new ForeignException(),
        new ArrayList<Object>(List.<Object>of((Object) new Foreign[0])),
        deep,
        new int[100_000],
        new ArrayList<Object>(List.of(new Foreign("inside"))));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void nothingElseIsMade(Object original) {
    assertThrows(InvalidClassException.class, () -> copy(original));
  }
}
