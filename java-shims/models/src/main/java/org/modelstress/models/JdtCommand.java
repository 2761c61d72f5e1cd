package org.modelstress.models;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.modelstress.models.jdt.JdtExtractor;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

/** The command {@code jdt}. */
@Command(name = "jdt", description = "Extracts a model from Java sources.")
final class JdtCommand implements Callable<Integer> {
  private static final int PROGRESS_EVERY = 500;

  @Option(names = "--jar", required = true, paramLabel = "FILE", arity = "1..*")
  private List<Path> jars;

  @Option(names = "--split", converter = SplitName.class, paramLabel = "single|package|unit")
  private JdtExtractor.Split split = JdtExtractor.Split.SINGLE;

  @Option(names = "--output", required = true, paramLabel = "FOLDER")
  private Path output;

  @Option(names = "--json")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    JdtExtractor.Counts counts;
    try {
      counts = JdtExtractor.extract(jars, split, output, JdtCommand::report);
    } catch (NoClassDefFoundError e) {
      throw new ModelException(
          "Eclipse JDT is not on the class path; use 'modelstress model jdt', or add the folder jdt"
              + " beside models.jar.",
          e);
    }
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("model", output.resolve(ModelDescription.NAME).toString());
    answer.put("units", counts.units());
    answer.put("nodes", counts.nodes());
    answer.put("elements", counts.elements());
    answer.put("singletons", counts.singletons());
    Main.print(answer, json);
    return 0;
  }

  private static void report(long done, long total) {
    if (done % PROGRESS_EVERY == 0 || done == total) {
      System.err.println("extracted " + done + " of " + total + " compilation units");
    }
  }

  private static final class SplitName implements ITypeConverter<JdtExtractor.Split> {
    @Override
    public JdtExtractor.Split convert(String text) {
      return Main.choose(text, Arrays.asList(JdtExtractor.Split.values()));
    }
  }
}
