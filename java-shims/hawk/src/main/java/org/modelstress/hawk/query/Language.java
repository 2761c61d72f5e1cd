package org.modelstress.hawk.query;

/** A query language of the index. */
public enum Language {
  EOL("EOLQueryEngine"),
  EPL("EPLQueryEngine");

  private static final String PACKAGE = "org.hawk.epsilon.emc.";
  private static final String ECLIPSE_PACKAGE = "org.eclipse.hawk.epsilon.emc.";

  private final String engine;

  Language(String engine) {
    this.engine = engine;
  }

  /** Its name in Hawk's API. */
  public String id() {
    return PACKAGE + engine;
  }

  /**
   * The language with a name in Hawk's API or in that of Eclipse Hawk, whose packages have other
   * names.
   *
   * @return null if there is none
   */
  public static Language of(String id) {
    for (Language language : values()) {
      if (language.id().equals(id) || (ECLIPSE_PACKAGE + language.engine).equals(id)) {
        return language;
      }
    }
    return null;
  }
}
