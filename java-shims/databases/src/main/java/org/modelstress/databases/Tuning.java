package org.modelstress.databases;

/**
 * What studies vary of a server's configuration; everything else is as its makers have it.
 *
 * @param flushing whether a commit is on the disk when it is acknowledged
 * @param bufferMib memory for pages of the database, MiB
 */
public record Tuning(boolean flushing, int bufferMib) {
  /** As measured where a study says nothing. */
  public static final Tuning DEFAULT = new Tuning(true, 128);
}
