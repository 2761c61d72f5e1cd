package org.modelstress.models;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code import}. */
@Command(name = "import", description = "Checks metamodels and model files and copies them.")
final class ImportCommand implements Callable<Integer> {
  @Option(names = "--metamodel", required = true, paramLabel = "FILE", arity = "1..*")
  private List<Path> metamodels;

  @Option(names = "--file", required = true, paramLabel = "FILE", arity = "1..*")
  private List<Path> files;

  @Option(names = "--output", required = true, paramLabel = "FOLDER")
  private Path output;

  @Option(names = "--json")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    Path model = ModelImport.run(metamodels, files, output);
    Main.print(Map.of("model", model.toString()), json);
    return 0;
  }
}
