package org.modelstress.cdo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.eclipse.net4j.util.io.ExtendedDataOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.queries.HeapWatch;

/** What a client says will come costs nothing, and what comes is bounded. */
class BoundedInputTest {
  @FunctionalInterface
  private interface Content {
    void write(ExtendedDataOutputStream out) throws IOException;
  }

  private static BoundedInput input(Content content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    content.write(new ExtendedDataOutputStream(bytes));
    return new BoundedInput(new ByteArrayInputStream(bytes.toByteArray()));
  }

  @Test
  void readsWhatNet4jWrites() throws Exception {
    String text = "\u00e4\ud83d\ude00x".repeat(100_000);
    BoundedInput in =
        input(
            out -> {
              out.writeString(text);
              out.writeString(null);
              out.writeString("");
              out.writeByteArray(new byte[] {1, 2});
              out.writeByteArray(null);
              out.writeByteArray(new byte[0]);
            });
    assertEquals(text, in.readString());
    assertNull(in.readString());
    assertEquals("", in.readString());
    assertArrayEquals(new byte[] {1, 2}, in.readByteArray());
    assertNull(in.readByteArray());
    assertEquals(0, in.readByteArray().length);
  }

  @ParameterizedTest
  @ValueSource(ints = {BoundedInput.LONGEST, BoundedInput.LONGEST + 1, Integer.MAX_VALUE - 16})
  void aLengthThatIsNotTrueCostsNothing(int length) throws Exception {
    BoundedInput in = input(out -> out.writeInt(length));
    long thread = Thread.currentThread().getId();
    long before = HeapWatch.allocated(thread);
    assertThrows(IOException.class, in::readByteArray);
    assertTrue(HeapWatch.allocated(thread) - before < BoundedInput.LONGEST / 2);
  }

  @Test
  void aTextWithoutEndEnds() {
    InputStream endless =
        new InputStream() {
          @Override
          public int read() {
            return 1; // there is more, of 257 characters
          }
        };
    assertThrows(IOException.class, () -> new BoundedInput(endless).readString());
  }
}
