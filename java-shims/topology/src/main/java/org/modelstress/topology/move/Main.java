package org.modelstress.topology.move;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.modelstress.topology.config.ConfigException;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.config.TopologyFile;

/** The program {@code move-objects} ({@code docs/tools/topology.md}). */
public final class Main {
  private static final int CONFIG = 2; // exit codes are those of docs/contracts.md
  private static final int FAILED = 6;

  /** What the file of {@code --config} says. */
  record Config(
      @JsonProperty(required = true) List<String> before,
      @JsonProperty(required = true) List<String> after,
      @JsonProperty(required = true) Map<String, String> stores) {}

  private Main() {}

  public static void main(String[] args) {
    System.exit(run(args));
  }

  private static int run(String... args) {
    if (args.length != 2 || !"--config".equals(args[0])) {
      System.err.println("error: usage: move-objects --config FILE");
      return CONFIG;
    }
    try {
      Config config =
          new ObjectMapper()
              .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
              .readValue(Files.readString(Path.of(args[1])), Config.class);
      Topology before = distribution("before", config.before);
      Topology after = distribution("after", config.after);
      try (ObjectMover mover =
          new ObjectMover(
              before, after, config.stores, done -> System.err.println(done + " moved"))) {
        System.out.println(mover.move() + " objects were moved");
      }
      return 0;
    } catch (JsonProcessingException e) {
      System.err.println("error: " + args[1] + ": " + e.getOriginalMessage());
      return CONFIG;
    } catch (ConfigException e) {
      System.err.println("error: " + e.getMessage());
      return CONFIG;
    } catch (IOException e) {
      System.err.println("error: cannot be read: " + e.getMessage());
      return CONFIG;
    } catch (SQLException e) {
      System.err.println("error: a store failed: " + e.getMessage());
      return FAILED;
    }
  }

  private static Topology distribution(String name, List<String> files)
      throws ConfigException, IOException {
    StringBuilder text = new StringBuilder();
    for (String file : files) {
      text.append(Files.readString(Path.of(file)));
    }
    return TopologyFile.parse(name, text.toString());
  }
}
