package org.modelstress.thrift.results;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;

/**
 * A file as Hawk names it: the folder is the repository.
 *
 * @param repository its URI
 * @param name within the repository, beginning with a slash
 */
public record FileName(String repository, String name) {
  /** From a path on this machine. */
  public static FileName of(String path) {
    Path file = Path.of(path).toAbsolutePath().normalize();
    Path folder = file.getParent() == null ? file : file.getParent();
    try {
      return new FileName(
          new URI("file", "", folder + "/", null).toString(), "/" + file.getFileName());
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("not a file name: " + path, e);
    }
  }

  /** Whether a pattern with {@code *} as wildcard fits the name, with or without its slash. */
  public boolean matches(String pattern) {
    return fits(pattern, name) || fits(pattern, name.substring(1));
  }

  /** Whether a pattern with {@code *} as wildcard fits the whole text. */
  public static boolean fits(String pattern, String text) {
    String[] parts = pattern.split("\\*", -1);
    if (parts.length == 1) {
      return pattern.equals(text);
    }
    String last = parts[parts.length - 1];
    int at = parts[0].length();
    int end = text.length() - last.length();
    if (end < at || !text.startsWith(parts[0]) || !text.endsWith(last)) {
      return false;
    }
    for (int i = 1; i < parts.length - 1; i++) {
      int found = text.indexOf(parts[i], at);
      if (found < 0 || found + parts[i].length() > end) {
        return false;
      }
      at = found + parts[i].length();
    }
    return true;
  }
}
