package org.modelstress.harness.config;

/** A configuration file is wrong; the message is one sentence naming file, field and remedy. */
public final class ConfigException extends Exception {
  private static final long serialVersionUID = 1L;

  public ConfigException(String message, Throwable cause) {
    super(message, cause);
  }
}
