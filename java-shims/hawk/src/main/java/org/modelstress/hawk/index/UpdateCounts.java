package org.modelstress.hawk.index;

/**
 * What an update of the model took.
 *
 * @param created elements that are new
 * @param deleted elements that are gone
 * @param rewritten elements that were there before and have other attributes or references now
 * @param computed values of derived attributes computed for the first time
 * @param recomputed values of derived attributes computed again
 */
public record UpdateCounts(int created, int deleted, int rewritten, int computed, int recomputed) {
  /** Nothing was done. */
  public static final UpdateCounts NONE = new UpdateCounts(0, 0, 0, 0, 0);
}
