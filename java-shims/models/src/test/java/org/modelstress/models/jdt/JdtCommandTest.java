package org.modelstress.models.jdt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.models.JavaProcess;
import org.modelstress.models.Main;

/** The program, as others start it. */
class JdtCommandTest {
  @TempDir private Path folder;

  private JsonNode run(String... arguments) throws Exception {
    Process process =
        JavaProcess.start(folder.resolve("errors"), "-Xmx256m", Main.class, arguments);
    try {
      String said = new String(process.getInputStream().readAllBytes());
      assertTrue(process.waitFor(120, TimeUnit.SECONDS));
      assertEquals(0, process.exitValue(), Files.readString(folder.resolve("errors")));
      return new JsonMapper().readTree(said);
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void extractsAndCounts() throws Exception {
    Path jar = Jars.write(folder.resolve("a.jar"), Samples.sources());
    Path output = folder.resolve("model");
    JsonNode made =
        run(
            "jdt",
            "--jar",
            jar.toString(),
            "--split",
            "unit",
            "--output",
            output.toString(),
            "--json");
    assertEquals(9, made.get("units").asInt());
    assertEquals(Samples.SINGLETONS, made.get("singletons").asInt());
    JsonNode counted = run("count", made.get("model").asText(), "--json");
    assertEquals(made.get("nodes"), counted.get("nodes"));
    assertEquals(made.get("elements"), counted.get("elements"));
    assertEquals(Samples.SINGLETONS, counted.at("/matches_per_query/singletons").asInt());
    // by hand: all TypeDeclarations of Samples but the interfaces I and S
    int types = counted.at("/elements_per_class/TypeDeclaration").asInt();
    assertEquals(types - 2, counted.get("classes").asInt());
  }
}
