package org.modelstress.cdo;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.eclipse.net4j.util.io.ExtendedDataInputStream;
import org.eclipse.net4j.util.io.IStreamWrapper;

/**
 * What a client sends in a signal. Net4j makes room for as many bytes as the client says will come,
 * and takes texts without end; here memory is taken as they come, and bounded.
 */
final class BoundedInput extends ExtendedDataInputStream {
  /** Bytes of one text or array; the longest that a client needs is a query. */
  static final int LONGEST = 4 * QueryBounds.LONGEST_TEXT;

  BoundedInput(InputStream in) {
    super(in);
  }

  /** Puts this around the input of every signal. */
  static final class Wrapper implements IStreamWrapper {
    @Override
    public InputStream wrapInputStream(InputStream in) {
      return new BoundedInput(in);
    }

    @Override
    public OutputStream wrapOutputStream(OutputStream out) {
      return out;
    }

    @Override
    public void finishInputStream(InputStream in) {
      // nothing is held back
    }

    @Override
    public void finishOutputStream(OutputStream out) {
      // nothing is held back
    }
  }

  @Override
  public byte[] readByteArray() throws IOException {
    int length = readInt();
    if (length < 0) {
      return null;
    }
    checkLength(length);
    byte[] bytes = readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("a client's request ends too early");
    }
    return bytes;
  }

  @Override
  public String readString() throws IOException {
    if (!readBoolean()) {
      return null;
    }
    StringBuilder text = new StringBuilder();
    do {
      text.append(readUTF());
      checkLength(text.length());
    } while (readBoolean());
    return text.toString();
  }

  private static void checkLength(int length) throws IOException {
    if (length > LONGEST) {
      throw new IOException(
          "a client sends " + length + " bytes at once; the server takes " + LONGEST);
    }
  }
}
