package org.modelstress.models;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.eclipse.emf.ecore.EObject;
import org.modelstress.models.grabats.SingletonMatcher;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;
import org.modelstress.models.train.TrainMatcher;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * Generates, counts and queries models. Answers go to stdout; a failure is one sentence on the last
 * line of stderr and an exit code: 2 arguments or query, 3 model, 6 anything else.
 */
@Command(
    name = "models",
    description = "Makes, counts and queries models.",
    subcommands = {
      Main.Train.class,
      JdtCommand.class,
      ImportCommand.class,
      Main.Count.class,
      Main.Evaluate.class
    })
public final class Main implements Runnable {
  private static final int ARGUMENTS = 2;
  private static final int MODEL = 3;
  private static final int OTHER = 6;

  @Spec private CommandLine.Model.CommandSpec spec;

  /** Runs a command and ends the process. */
  public static void main(String[] args) {
    System.exit(run(args));
  }

  /** Runs a command and returns its exit code. */
  static int run(String... args) {
    CommandLine commands = new CommandLine(new Main());
    commands.setParameterExceptionHandler((e, given) -> fail(e.getMessage(), ARGUMENTS));
    commands.setExecutionExceptionHandler((e, command, parsed) -> report(e));
    try {
      return commands.execute(args);
    } catch (OutOfMemoryError e) {
      long mib = Runtime.getRuntime().maxMemory() >> 20;
      return fail("the heap of " + mib + " MiB is too small; allow more with -Xmx", OTHER);
    } catch (StackOverflowError e) {
      return fail("the model is nested too deeply; allow more stack with -Xss", OTHER);
    }
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say train, jdt, import, count or evaluate");
  }

  private static int report(Exception e) {
    if (e instanceof ModelException) {
      return fail(e.getMessage(), MODEL);
    }
    if (e instanceof QueryException) {
      return fail(e.getMessage(), ARGUMENTS);
    }
    if (e instanceof IOException) {
      return fail(e.getMessage(), OTHER);
    }
    e.printStackTrace();
    return fail("unexpected: " + e, OTHER);
  }

  private static int fail(String sentence, int code) {
    System.err.println("error: " + sentence.replace('\n', ' '));
    return code;
  }

  @Command(name = "train", description = "Generates a model of the Train Benchmark.")
  static final class Train implements Callable<Integer> {
    @Spec private CommandLine.Model.CommandSpec spec;

    @Option(names = "--line", required = true, converter = LineName.class, paramLabel = "LINE")
    private Line line;

    @Option(
        names = "--scenario",
        required = true,
        converter = ScenarioName.class,
        paramLabel = "SCENARIO")
    private Scenario scenario;

    @Option(names = "--size", required = true, paramLabel = "N")
    private int size;

    @Option(names = "--seed", paramLabel = "S")
    private long seed = TrainGenerator.DEFAULT_SEED;

    @Option(names = "--output", required = true, paramLabel = "FILE")
    private Path output;

    @Override
    public Integer call() throws IOException {
      if (size < 1 || size > TrainGenerator.MAX_SIZE) {
        throw wrong("--size is " + size + "; it goes from 1 to " + TrainGenerator.MAX_SIZE);
      }
      if (ModelFiles.EXTENSIONS.stream().noneMatch(output.toString()::endsWith)) {
        throw wrong("--output " + output + " ends in neither of " + ModelFiles.EXTENSIONS);
      }
      if (!Files.isDirectory(output.toAbsolutePath().getParent())) {
        throw wrong("the folder of --output " + output + " does not exist; create it first");
      }
      try {
        ModelFiles.save(TrainGenerator.generate(line, scenario, size, seed), output);
      } catch (ModelException e) {
        return fail(e.getMessage(), OTHER);
      }
      return 0;
    }

    private ParameterException wrong(String sentence) {
      return new ParameterException(spec.commandLine(), sentence);
    }
  }

  @Command(name = "count", description = "Counts elements, links and matches.")
  static final class Count implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "FILE")
    private Path file;

    @Option(names = "--json")
    private boolean json;

    @Override
    public Integer call() throws ModelException, IOException {
      ModelSource model = ModelSource.read(file);
      ModelCount count = ModelCount.of(model.roots());
      Map<String, Object> answer = new LinkedHashMap<>();
      answer.put("file", file.toString());
      answer.put("sha256", model.sha256());
      answer.put("elements", count.elements());
      answer.put("elements_per_class", count.perClass());
      answer.put("links_per_reference", count.perReference());
      if (TrainMatcher.accepts(model.root())) {
        answer.put("matches_per_query", matches(model.root()));
      } else if (SingletonMatcher.accepts(model.metamodels())) {
        SingletonMatcher matcher = new SingletonMatcher(model.roots(), model.metamodels());
        answer.put("nodes", matcher.nodes());
        answer.put("classes", matcher.classes());
        answer.put("matches_per_query", Map.of("singletons", matcher.matches().size()));
      }
      print(answer, json);
      return 0;
    }

    private static Map<String, Integer> matches(EObject root) {
      TrainMatcher matcher = new TrainMatcher(root);
      Map<String, Integer> counts = new LinkedHashMap<>();
      for (String query : matcher.queries()) {
        counts.put(query, matcher.matches(query).size() / matcher.arity(query));
      }
      return counts;
    }
  }

  /** A query's file and the parts of its matches; on the command line in this order. */
  static final class Question {
    @Option(names = "--query", required = true, paramLabel = "FILE")
    private Path query;

    @Option(names = "--tuple", required = true, split = ",", paramLabel = "NAME")
    private List<String> tuple;
  }

  @Command(
      name = "evaluate",
      description = "Evaluates queries in memory; with --json, an answer is a line.")
  static final class Evaluate implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "FILE")
    private Path file;

    @Option(names = "--language", required = true, converter = Language.class)
    private String language;

    @ArgGroup(exclusive = false, multiplicity = "1..*")
    private List<Question> questions;

    @Option(names = "--json")
    private boolean json;

    @Override
    public Integer call() throws ModelException, QueryException, JsonProcessingException {
      for (Question question : questions) {
        print(answer(question.query, question.tuple), json);
      }
      return 0;
    }

    private Map<String, Object> answer(Path query, List<String> tuple)
        throws ModelException, QueryException {
      long[] indices;
      try {
        String text = Files.readString(query);
        indices = Oracle.evaluate(file.toString(), language, text, tuple.toArray(String[]::new));
      } catch (QueryException e) {
        throw new QueryException("query " + query + ": " + e.getMessage(), e);
      } catch (NoSuchFileException e) {
        throw new QueryException("query " + query + " does not exist", e);
      } catch (MalformedInputException e) {
        throw new QueryException("query " + query + " is not UTF-8 text", e);
      } catch (IOException e) {
        throw new QueryException("query " + query + " cannot be read: " + e.getMessage(), e);
      }
      Map<String, Object> answer = new LinkedHashMap<>();
      answer.put("file", file.toString());
      answer.put("query", query.toString());
      answer.put("language", language);
      answer.put("count", indices.length / tuple.size());
      answer.put("digest", Long.toUnsignedString(Oracle.digest(indices, tuple.size())));
      return answer;
    }
  }

  static void print(Map<String, Object> answer, boolean json) throws JsonProcessingException {
    if (json) {
      System.out.println(new JsonMapper().writeValueAsString(answer));
    } else {
      answer.forEach((key, value) -> System.out.println(key + ": " + value));
    }
    System.out.flush();
  }

  /** Finds the value that prints as the given text. */
  static <T> T choose(String text, List<T> values) {
    return values.stream()
        .filter(v -> v.toString().equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "'"
                        + text
                        + "' is not one of "
                        + values.stream().map(T::toString).collect(Collectors.joining(", "))));
  }

  private static final class LineName implements ITypeConverter<Line> {
    @Override
    public Line convert(String text) {
      return choose(text, Arrays.asList(Line.values()));
    }
  }

  private static final class ScenarioName implements ITypeConverter<Scenario> {
    @Override
    public Scenario convert(String text) {
      return choose(text, Arrays.asList(Scenario.values()));
    }
  }

  private static final class Language implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      return choose(text, Oracle.LANGUAGES);
    }
  }
}
