package org.modelstress.hawk.query;

/** A query language of the index. */
public enum Language {
  EOL("org.hawk.epsilon.emc.EOLQueryEngine"),
  EPL("org.hawk.epsilon.emc.EPLQueryEngine");

  private final String id;

  Language(String id) {
    this.id = id;
  }

  /** Its name in Hawk's API. */
  public String id() {
    return id;
  }
}
