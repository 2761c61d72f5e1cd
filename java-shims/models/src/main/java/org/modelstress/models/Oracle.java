package org.modelstress.models;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.modelstress.harness.samples.Digest;
import org.modelstress.models.eol.EolQuery;
import org.modelstress.models.epl.EplQuery;
import org.modelstress.models.ocl.OclQuery;
import org.modelstress.models.train.TrainMatcher;

/**
 * The oracle: what a query has to find in a model, computed in memory. Static methods over plain
 * types, so that Python can call them. The model last used stays loaded.
 */
public final class Oracle {
  /** The query languages of {@link #evaluate}. */
  public static final List<String> LANGUAGES = List.of("ocl", "eol", "epl");

  private static Model last;

  private Oracle() {}

  /**
   * Evaluates a query text.
   *
   * @param model path of the model file or {@code model.json}
   * @param language one of {@link #LANGUAGES}
   * @param text the query
   * @param tuple names of the parts of a match, in order
   * @return {@code tuple.length} element indices per match, in the order of the result
   * @throws ModelException if the model cannot be read
   * @throws QueryException if the query cannot be parsed or evaluated, or the language is unknown
   */
  public static synchronized long[] evaluate(
      String model, String language, String text, String[] tuple)
      throws ModelException, QueryException {
    List<String> parts = List.of(tuple);
    Model loaded = load(Path.of(model));
    List<EObject> matches =
        switch (language) {
          case "ocl" -> OclQuery.parse(text, loaded.metamodels()).evaluate(loaded.root(), parts);
          case "eol" -> EolQuery.parse(text).evaluate(loaded.root(), parts);
          case "epl" -> EplQuery.parse(text).evaluate(loaded.root(), parts);
          default ->
              throw new QueryException(
                  "Unknown query language " + language + "; known are " + LANGUAGES + ".");
        };
    return loaded.index().indicesOf(matches);
  }

  /**
   * Evaluates a query of the Train Benchmark by {@link TrainMatcher}, a third opinion.
   *
   * @param model path of the model file
   * @param query its name, such as {@code PosLength}
   * @return the element indices of all matches
   * @throws ModelException if the model cannot be read or is not of the Train Benchmark
   * @throws QueryException if there is no such query
   */
  public static synchronized long[] match(String model, String query)
      throws ModelException, QueryException {
    Model loaded = load(Path.of(model));
    if (!TrainMatcher.accepts(loaded.root())) {
      throw new ModelException("Model " + model + " is not of the Train Benchmark.");
    }
    TrainMatcher matcher = new TrainMatcher(loaded.root());
    if (!matcher.queries().contains(query)) {
      throw new QueryException("Unknown query " + query + "; known are " + matcher.queries() + ".");
    }
    return loaded.index().indicesOf(matcher.matches(query));
  }

  /**
   * Digest of a result as in {@code docs/contracts.md}, a uint64 in a long.
   *
   * @throws IllegalArgumentException if the indices are not matches of {@code arity} each
   */
  public static long digest(long[] indices, int arity) {
    return Digest.of(indices, indices.length, arity);
  }

  /** A loaded model and the state of the file it came from. */
  private record Model(
      Path file, Object version, EObject root, EPackage.Registry metamodels, ElementIndex index) {}

  private static Model load(Path file) throws ModelException {
    Object version = version(file);
    if (last == null || !last.file().equals(file) || !last.version().equals(version)) {
      last = null; // two big models at once might not fit
      ModelSource source = ModelSource.read(file);
      ElementIndex index = new ElementIndex(source.roots());
      last = new Model(file, version, source.root(), source.metamodels(), index);
    }
    return last;
  }

  private static Object version(Path file) throws ModelException {
    try {
      BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
      return List.of(now.size(), now.lastModifiedTime(), String.valueOf(now.fileKey()));
    } catch (IOException e) {
      throw new ModelException("Model " + file + " does not exist or is not readable.", e);
    }
  }
}
