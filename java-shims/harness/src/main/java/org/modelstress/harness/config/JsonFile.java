package org.modelstress.harness.config;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Collectors;

/**
 * Reads a JSON file into a record, strictly: unknown and repeated keys, text for numbers and
 * anything after the end are refused. Keys are in snake_case.
 */
public final class JsonFile {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .build();

  private JsonFile() {}

  /**
   * Reads a file.
   *
   * @throws ConfigException when it is missing, no JSON or does not fit the record
   */
  public static <T> T read(Path file, Class<T> type) throws ConfigException {
    try {
      T value = MAPPER.readValue(Files.readAllBytes(file), type);
      if (value == null) {
        throw new ConfigException(file + ": holds null where an object is needed", null);
      }
      return value;
    } catch (NoSuchFileException e) {
      throw new ConfigException(file + ": there is no such file", e);
    } catch (JsonParseException e) {
      throw new ConfigException(
          file + ": is not JSON, line " + line(e) + ": " + sentence(e.getOriginalMessage()), e);
    } catch (UnrecognizedPropertyException e) {
      String known =
          e.getKnownPropertyIds().stream()
              .map(String::valueOf)
              .sorted()
              .collect(Collectors.joining(", "));
      throw new ConfigException(field(file, e) + ": unknown key, known are " + known, e);
    } catch (InvalidFormatException e) {
      throw new ConfigException(field(file, e) + ": " + e.getValue() + " does not fit", e);
    } catch (MismatchedInputException e) {
      throw new ConfigException(
          field(file, e) + ": " + sentence(e.getOriginalMessage()) + ", line " + line(e), e);
    } catch (JsonMappingException e) {
      String message = e.getCause() == null ? e.getOriginalMessage() : e.getCause().getMessage();
      throw new ConfigException(field(file, e) + ": " + sentence(message), e);
    } catch (IOException e) {
      throw new ConfigException(file + ": cannot be read: " + e.getMessage(), e);
    }
  }

  private static int line(JsonProcessingException e) {
    return e.getLocation() == null ? 0 : e.getLocation().getLineNr();
  }

  private static String field(Path file, JsonMappingException e) {
    StringBuilder path = new StringBuilder();
    for (JsonMappingException.Reference step : e.getPath()) {
      if (step.getFieldName() == null) {
        path.append('[').append(step.getIndex()).append(']');
      } else {
        path.append(path.isEmpty() ? "" : ".").append(step.getFieldName());
      }
    }
    return path.isEmpty() ? file.toString() : file + ": " + path;
  }

  private static String sentence(String message) {
    return message == null ? "cannot be read" : message.lines().findFirst().orElse("").strip();
  }
}
