package org.modelstress.models;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What {@code model.json} says of a model that brings its metamodel or has more than one file. It
 * names the hash of every file, so its own hash stands for the whole model.
 *
 * @param format {@link #FORMAT}
 * @param version {@link #VERSION}
 * @param metamodels Ecore files
 * @param files model files, in the order of their elements
 */
@JsonPropertyOrder({"format", "version", "metamodels", "files"})
public record ModelDescription(
    String format, int version, List<Entry> metamodels, List<Entry> files) {
  /** Name of the file in a model's folder. */
  public static final String NAME = "model.json";

  /** What such a file says it is. */
  public static final String FORMAT = "modelstress-model";

  /** Bumped when older descriptions can no longer be read. */
  public static final int VERSION = 1;

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  /**
   * A file of the model.
   *
   * @param path relative to the description's folder, with {@code /}
   * @param sha256 of its bytes, hexadecimal
   */
  @JsonPropertyOrder({"path", "sha256"})
  public record Entry(String path, String sha256) {}

  /** Of this format and version. */
  public static ModelDescription of(List<Entry> metamodels, List<Entry> files) {
    return new ModelDescription(FORMAT, VERSION, metamodels, files);
  }

  /** Whether a path names a description rather than a model file. */
  public static boolean isNamedBy(Path path) {
    return path.getFileName() != null && path.getFileName().toString().equals(NAME);
  }

  /**
   * Reads a description.
   *
   * @throws ModelException if it is missing or not one, or names files outside its folder
   */
  static ModelDescription read(Path file) throws ModelException {
    ModelDescription read;
    try {
      read = JSON.readValue(Files.readString(file), ModelDescription.class);
    } catch (JsonProcessingException e) {
      throw new ModelException(
          "Model "
              + file
              + " is no description of a model: "
              + e.getOriginalMessage()
              + "; make the model again.",
          e);
    } catch (IOException e) {
      throw new ModelException("Model " + file + " does not exist or is no text in UTF-8.", e);
    }
    String problem = read == null ? "is empty" : read.problem();
    if (problem != null) {
      throw new ModelException("Model " + file + " " + problem + "; make the model again.");
    }
    return read;
  }

  private String problem() {
    if (!FORMAT.equals(format) || version != VERSION) {
      return "is not of format " + FORMAT + ", version " + VERSION;
    }
    if (metamodels == null || files == null || metamodels.isEmpty() || files.isEmpty()) {
      return "needs metamodels and files, at least one of each";
    }
    Set<String> paths = new HashSet<>();
    for (List<Entry> entries : List.of(metamodels, files)) {
      for (Entry entry : entries) {
        if (entry == null || entry.path() == null || entry.sha256() == null) {
          return "has a file without path or sha256";
        }
        if (!isInside(entry.path())) {
          return "names a file outside its folder, '" + entry.path() + "'";
        }
        if (!paths.add(entry.path())) {
          return "names " + entry.path() + " twice";
        }
      }
    }
    return null;
  }

  /** Whether a path stays in the folder: no root, no {@code ..}, nothing to be normalized. */
  public static boolean isInside(String path) {
    return path.indexOf('\0') < 0
        && Stream.of(path.split("/", -1))
            .noneMatch(each -> each.isEmpty() || each.equals(".") || each.equals(".."));
  }

  /**
   * Writes {@code model.json} into a folder; same description, same bytes.
   *
   * @return the file
   */
  public Path write(Path folder) throws IOException {
    return Files.writeString(folder.resolve(NAME), JSON.writeValueAsString(this) + "\n");
  }
}
