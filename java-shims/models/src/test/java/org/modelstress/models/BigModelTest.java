package org.modelstress.models;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A model of 100 MB in a single line. */
@Tag("long")
class BigModelTest {
  private static final long BYTES = 100_000_000;

  private record Ended(int code, String out, String lastError) {}

  @TempDir private Path folder;
  private Net net;
  private Path big;
  private long elements;

  /** Texts are escaped as often as in sources, and links lead back and forth. */
  @BeforeEach
  void writeModel() throws Exception {
    net = new Net(folder.resolve("own"));
    big = net.folder.resolve("big.xmi");
    String root = Net.root("<body/>").replace("\n", " ");
    elements = 1;
    try (BufferedWriter out = Files.newBufferedWriter(big)) {
      out.write(root.substring(0, root.indexOf("<body/>")));
      for (long written = 0; written < BYTES; elements++) {
        String part =
            "<parts xsi:type='net:Node' name='&quot;n&lt;%d&gt;&quot;' next='//@parts.%d'/>"
                .formatted(elements % 1000, elements * 7919 % 500_000);
        out.write(part);
        written += part.length();
      }
      out.write(root.substring(root.indexOf("<body/>") + "<body/>".length()));
    }
  }

  private Ended run(String heap, String... arguments) throws Exception {
    Path errors = folder.resolve("errors");
    Process process = JavaProcess.start(errors, heap, Main.class, arguments);
    try {
      String out = new String(process.getInputStream().readAllBytes());
      assertTrue(process.waitFor(600, TimeUnit.SECONDS));
      List<String> said = Files.readAllLines(errors);
      return new Ended(process.exitValue(), out, said.isEmpty() ? "" : said.get(said.size() - 1));
    } finally {
      process.destroyForcibly();
      Files.delete(errors);
    }
  }

  private Ended importWith(String heap) throws Exception {
    return run(
        heap,
        "import",
        "--metamodel",
        net.metamodel.toString(),
        "--file",
        big.toString(),
        "--output",
        folder.resolve("model").toString());
  }

  @Test
  void fitsInto1536MiB() throws Exception {
    Ended imported = importWith("-Xmx1536m");
    assertEquals(0, imported.code(), imported.lastError());
    String model = folder.resolve("model").resolve("model.json").toString();
    Ended counted = run("-Xmx1536m", "count", model, "--json");
    assertEquals(0, counted.code(), counted.lastError());
    assertEquals(elements, new JsonMapper().readTree(counted.out()).get("elements").asLong());
  }

  @Test
  void heapThatIsTooSmall() throws Exception {
    Ended ended = importWith("-Xmx64m");
    assertEquals(3, ended.code(), ended.lastError());
    assertTrue(ended.lastError().contains(big.toString()), ended.lastError());
    assertTrue(ended.lastError().contains("too big for the heap of "), ended.lastError());
    assertTrue(ended.lastError().contains("-Xmx"), ended.lastError());
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(List.of(net.folder), left.toList());
    }
  }
}
