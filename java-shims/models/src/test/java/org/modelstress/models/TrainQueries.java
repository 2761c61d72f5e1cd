package org.modelstress.models;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The queries as they are in the repository. */
public final class TrainQueries {
  /** Surefire runs in the module's folder. */
  private static final Path FOLDER = Path.of("..", "..", "queries", "train");

  private static final Pattern QUERY = Pattern.compile("^ {2}(\\w+): \\{tuple: \\[([^\\]]+)]}$");

  private TrainQueries() {}

  /** Query name to the names of a match's parts, from case.yaml. */
  public static Map<String, String[]> tuples() throws IOException {
    Map<String, String[]> tuples = new LinkedHashMap<>();
    for (String line : Files.readAllLines(FOLDER.resolve("case.yaml"))) {
      Matcher query = QUERY.matcher(line);
      if (query.matches()) {
        tuples.put(query.group(1), query.group(2).split(", "));
      }
    }
    return tuples;
  }

  /** The text of a query. */
  public static String text(String language, String query) throws IOException {
    return Files.readString(FOLDER.resolve(language).resolve(query + "." + language));
  }
}
