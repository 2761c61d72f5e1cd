package org.modelstress.metadata.service;

import java.util.Map;

/** A part of a group of changes. */
public sealed interface Change {
  /** Creates an object. */
  record Create(String type, Map<String, Object> values) implements Change {}

  /** Makes the next version of an object. */
  record Update(long id, int base, Map<String, Object> changes) implements Change {}
}
