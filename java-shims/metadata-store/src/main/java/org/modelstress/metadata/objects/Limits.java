package org.modelstress.metadata.objects;

import java.util.regex.Pattern;

/** How large what clients send may be. */
public final class Limits {
  /** Characters of a text. */
  public static final int TEXT = 65_536;

  /** Characters of a text that is indexed. */
  public static final int INDEXED_TEXT = 255;

  /** Attributes of a type. */
  public static final int ATTRIBUTES = 256;

  /** Objects of a batch. */
  public static final int BATCH = 10_000;

  /** Objects that a discovery finds at most. */
  public static final int FOUND = 10_000;

  /** Characters of all values of a batch. */
  public static final long BATCH_TEXT = 16L << 20;

  private static final Pattern NAME = Pattern.compile("[\\p{L}_][\\p{L}\\p{N}_.-]{0,62}");
  private static final int SHORT = 40;

  private Limits() {}

  /**
   * Checks the name of a type, attribute or link.
   *
   * @throws MetadataException INVALID where it is none
   */
  public static String name(String what, String name) throws MetadataException {
    if (name == null || !NAME.matcher(name).matches()) {
      throw MetadataException.invalid(
          what
              + " '"
              + shortened(name)
              + "' is no name: a letter, then at most 62 letters, digits, '_', '.' or '-'");
    }
    return name;
  }

  /** A text for a message. */
  public static String shortened(String text) {
    return text == null || text.length() <= SHORT ? text : text.substring(0, SHORT) + "…";
  }
}
