package org.modelstress.hawk.graph;

/** What an attribute index holds. */
public enum IndexType {
  /** {@link Boolean}; only {@link Comparison#EQ} makes sense. */
  TRUTH,
  /** {@link Integer} and {@link Long}, compared as whole numbers. */
  WHOLE,
  /** {@link Double} and {@link Float}, compared as 64-bit numbers. */
  REAL,
  /** {@link String}, compared by UTF-16 code units as {@link String#compareTo} does. */
  TEXT
}
