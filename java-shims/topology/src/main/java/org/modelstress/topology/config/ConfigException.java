package org.modelstress.topology.config;

/** A configuration that is wrong; the message is one sentence that names file and entry. */
public final class ConfigException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Says what is wrong. */
  public ConfigException(String message) {
    super(message);
  }
}
