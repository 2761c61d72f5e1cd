package org.modelstress.databases;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * The password of a store: made with it, and told only in addresses, which the harness hands from
 * process to process. Other users of the computer reach the port and no more.
 */
final class Password {
  private static final String OWNER = "modelstress";
  private static final int BYTES = 16;

  private Password() {}

  /** Makes that of the owner. */
  static String create(Path data) throws DatabaseException {
    return create(data, OWNER);
  }

  /** Makes one of a user and keeps it beside the store's data. */
  static String create(Path data, String user) throws DatabaseException {
    byte[] random = new byte[BYTES];
    new SecureRandom().nextBytes(random);
    String password = HexFormat.of().formatHex(random);
    try {
      Path file = file(data, user);
      Files.writeString(file, password);
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    } catch (IOException e) {
      throw new DatabaseException("cannot write to " + data + ": " + e, e);
    }
    return password;
  }

  private static Path file(Path data, String user) {
    return data.resolve(user + "-password");
  }

  /** That of the owner. */
  static String read(Path data) throws DatabaseException {
    return read(data, OWNER);
  }

  /** That of a user. */
  static String read(Path data, String user) throws DatabaseException {
    try {
      return Files.readString(file(data, user));
    } catch (IOException e) {
      throw new DatabaseException(data + " has no password of " + user + ": " + e, e);
    }
  }
}
