package org.modelstress.hawk.index;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.ecore.EObject;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.query.Element;
import org.modelstress.hawk.query.Language;
import org.modelstress.hawk.query.QueryScope;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.ModelSource;
import org.modelstress.models.eol.EolQuery;
import org.modelstress.queries.Cancellation;

/** The study's queries and declared attributes of the GraBaTs case, and what they have to find. */
final class GrabatsFixture {
  static final String DOM = "http://modelstress.org/jdtast/DOM";
  private static final Path CASE = Path.of("../../queries/grabats");

  private GrabatsFixture() {}

  /** The text of a query, such as {@code HQ1.eol}. */
  static String query(String file) throws IOException {
    return Files.readString(CASE.resolve(file.substring(file.length() - 3)).resolve(file));
  }

  /** The declared attributes; understands as much of YAML as the file has. */
  static List<AttributeDeclaration> attributes() throws IOException {
    List<Map<String, Object>> entries = new ArrayList<>();
    String key = null;
    for (String line : Files.readAllLines(CASE.resolve("attributes.yaml"))) {
      if (line.startsWith("  - ")) {
        entries.add(new LinkedHashMap<>());
      }
      if (line.matches(" {2}(- | {2})\\w+: .*")) {
        String[] entry = line.substring(4).split(": ", 2);
        key = entry[0];
        entries.get(entries.size() - 1).put(key, entry[1].equals(">-") ? "" : entry[1]);
      } else if (line.startsWith("      ")) {
        entries.get(entries.size() - 1).merge(key, line.strip(), (a, b) -> (a + " " + b).strip());
      }
    }
    return TrainFixture.declarations(entries);
  }

  /** Places of the singletons in the model, from the model in memory. */
  static List<Long> singletons(Path model) throws Exception {
    ModelSource source = ModelSource.read(model);
    List<EObject> found = EolQuery.parse(query("HQ1.eol")).evaluate(source.root(), List.of("td"));
    ElementIndex index = new ElementIndex(source.roots());
    return found.stream().map(index::indexOf).sorted().toList();
  }

  /** The nodes that a query finds, in order of their numbers. */
  static List<Long> run(LiveIndex index, String file) throws Exception {
    Language language = file.endsWith(".epl") ? Language.EPL : Language.EOL;
    return index.query(
        language,
        query(file),
        QueryScope.ALL,
        new Cancellation(),
        (result, reader) -> {
          List<Long> nodes = new ArrayList<>();
          for (Object match : (Iterable<?>) result) {
            Object element = match instanceof Map<?, ?> roles ? roles.get("td") : match;
            nodes.add(((Element) element).node());
          }
          nodes.sort(null);
          return nodes;
        });
  }
}
