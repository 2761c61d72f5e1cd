package org.modelstress.topology.connection.serialized;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InvalidObjectException;
import java.io.ObjectInputFilter.FilterInfo;
import java.io.ObjectInputFilter.Status;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.net.Socket;
import java.util.Set;

/**
 * Messages of a socket in Java's own serialisation, one after the other. Only this project's
 * messages and what they are made of are read, within bounds; everything else ends the connection.
 */
final class Objects implements AutoCloseable {
  /** A message and its number. */
  record Numbered(int number, Serializable message) implements Serializable {}

  private static final int BUFFER = 1 << 14;
  private static final int MOST_BYTES = 16 << 20;
  private static final long MOST_REFERENCES = 2_000_000;
  private static final long LONGEST_ARRAY = 1_000_000;
  private static final int DEEPEST = 20;
  private static final String OWN = "org.modelstress.topology.";
  private static final Set<String> PARTS =
      Set.of(
          "java.lang.Boolean",
          "java.lang.Double",
          "java.lang.Enum",
          "java.lang.Float",
          "java.lang.Integer",
          "java.lang.Long",
          "java.lang.Number",
          "java.lang.Object",
          "java.lang.Short",
          "java.lang.String",
          "java.util.ArrayList");

  private final Socket socket;
  private final ObjectOutputStream out;
  private final ObjectInputStream in;
  private final Bounded bytes;
  private boolean begun;
  private long referencesBefore;

  /** The messages of a connected socket; each side writes a header first. */
  Objects(Socket socket) throws IOException {
    this.socket = socket;
    out = new ObjectOutputStream(new BufferedOutputStream(socket.getOutputStream(), BUFFER));
    out.flush();
    bytes = new Bounded(new BufferedInputStream(socket.getInputStream(), BUFFER));
    in = new ObjectInputStream(bytes);
    in.setObjectInputFilter(this::check);
  }

  /** Writes a message; by one thread at a time. */
  synchronized void write(int number, Serializable message) throws IOException {
    out.writeObject(new Numbered(number, message));
    out.reset(); // else everything that was ever sent is remembered, on both sides
    out.flush();
  }

  /**
   * Reads the next message.
   *
   * @throws IOException where there is none, or it is of no known class
   */
  Numbered read() throws IOException {
    begun = false;
    bytes.begin();
    try {
      if (in.readObject() instanceof Numbered numbered) {
        return numbered;
      }
      throw new InvalidObjectException("no message of an object manager");
    } catch (ClassNotFoundException e) {
      throw new InvalidObjectException("class " + e.getMessage() + " is not known");
    } catch (ClassCastException | IllegalArgumentException e) {
      throw new InvalidObjectException("no message of an object manager: " + e.getMessage());
    }
  }

  private Status check(FilterInfo info) {
    if (!begun) { // they are counted from the beginning of the socket
      begun = true;
      referencesBefore = info.references();
    }
    if (info.references() - referencesBefore > MOST_REFERENCES
        || info.depth() > DEEPEST
        || info.arrayLength() > LONGEST_ARRAY) {
      return Status.REJECTED;
    }
    Class<?> given = info.serialClass();
    if (given == null) {
      return Status.UNDECIDED;
    }
    while (given.isArray()) {
      given = given.getComponentType();
    }
    boolean known =
        given.isPrimitive()
            || PARTS.contains(given.getName())
            || given.getName().startsWith(OWN) && (given.isRecord() || given.isEnum());
    return known ? Status.ALLOWED : Status.REJECTED;
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      // the other side hears of it anyway
    }
  }

  /** Bytes of one message after the other; a filter is not asked about strings. */
  private static final class Bounded extends FilterInputStream {
    private int left = MOST_BYTES;

    Bounded(InputStream in) {
      super(in);
    }

    void begin() {
      left = MOST_BYTES;
    }

    @Override
    public int read() throws IOException {
      int read = in.read();
      spend(read < 0 ? 0 : 1);
      return read;
    }

    @Override
    public int read(byte[] bytes, int begin, int length) throws IOException {
      int count = in.read(bytes, begin, length);
      spend(Math.max(0, count));
      return count;
    }

    private void spend(int count) throws IOException {
      left -= count;
      if (left < 0) {
        throw new InvalidObjectException("a message has more than " + MOST_BYTES + " bytes");
      }
    }
  }
}
