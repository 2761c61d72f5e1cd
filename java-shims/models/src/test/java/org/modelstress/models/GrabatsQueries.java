package org.modelstress.models;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The contest's queries that need no derived attributes, as they are in the repository. */
public final class GrabatsQueries {
  /** Surefire runs in the module's folder. */
  private static final Path FOLDER = Path.of("..", "..", "queries", "grabats");

  /** File names below the folder; the extension is the language. */
  public static final String[] FILES = {"ocl/OQ.ocl", "ocl/MQ.ocl", "eol/HQ1.eol", "epl/HQ1.epl"};

  private GrabatsQueries() {}

  /** Element indices of the singletons that a query finds, in order. */
  public static long[] singletons(Path model, String file)
      throws IOException, ModelException, QueryException {
    String language = file.substring(0, file.indexOf('/'));
    String text = Files.readString(FOLDER.resolve(file));
    long[] found = Oracle.evaluate(model.toString(), language, text, new String[] {"td"});
    java.util.Arrays.sort(found);
    return found;
  }
}
