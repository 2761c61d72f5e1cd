package org.modelstress.models;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MainTest {
  @TempDir private Path folder;

  private record Answer(int code, String out, String lastError) {}

  private static Answer run(String... args) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
    ByteArrayOutputStream errBytes = new ByteArrayOutputStream();
    System.setOut(new PrintStream(outBytes, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(errBytes, true, StandardCharsets.UTF_8));
    try {
      int code = Main.run(args);
      String[] errors = errBytes.toString(StandardCharsets.UTF_8).split("\n");
      return new Answer(code, outBytes.toString(StandardCharsets.UTF_8), errors[errors.length - 1]);
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }

  private String train(String name, String... more) {
    String file = folder.resolve(name).toString();
    String[] args = {
      "train", "--line", "2017", "--scenario", "repair", "--size", "1", "--output", file
    };
    String[] all = java.util.Arrays.copyOf(args, args.length + more.length);
    System.arraycopy(more, 0, all, args.length, more.length);
    Answer answer = run(all);
    assertEquals(0, answer.code(), answer.lastError());
    assertEquals("", answer.out());
    return file;
  }

  @Test
  void countsAsJson() throws Exception {
    String file = train("m.xmi");
    Answer answer = run("count", file, "--json");
    assertEquals(0, answer.code(), answer.lastError());
    JsonNode json = new JsonMapper().readTree(answer.out());
    byte[] sha = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(Path.of(file)));
    assertEquals(HexFormat.of().formatHex(sha), json.get("sha256").asText());
    assertEquals(742, json.get("elements").asInt());
    assertEquals(564, json.at("/elements_per_class/Segment").asInt());
    assertEquals(112, json.at("/links_per_reference/sensors").asInt());
    assertEquals(52, json.at("/matches_per_query/PosLength").asInt());
    assertEquals(8, json.at("/matches_per_query/SemaphoreNeighbor").asInt());
    assertTrue(run("count", file).out().contains("elements: 742"));
  }

  @Test
  void theSeedMatters() throws Exception {
    byte[] first = Files.readAllBytes(Path.of(train("a.bin")));
    byte[] given = Files.readAllBytes(Path.of(train("b.bin", "--seed", "19871053")));
    byte[] other = Files.readAllBytes(Path.of(train("c.bin", "--seed", "-5")));
    assertTrue(java.util.Arrays.equals(first, given));
    assertTrue(!java.util.Arrays.equals(first, other));
  }

  @Test
  void bothLanguagesGiveOneDigest() throws Exception {
    String file = train("m.bin");
    JsonNode[] answers = new JsonNode[2];
    for (int i = 0; i < 2; i++) {
      String language = Oracle.LANGUAGES.get(i);
      Path query = folder.resolve("q." + language);
      Files.writeString(query, TrainQueries.text(language, "SwitchSet"));
      Answer answer =
          run(
              "evaluate",
              file,
              "--language",
              language,
              "--query",
              query.toString(),
              "--tuple",
              "semaphore,route,swP,sw",
              "--json");
      assertEquals(0, answer.code(), answer.lastError());
      answers[i] = new JsonMapper().readTree(answer.out());
    }
    assertEquals(1, answers[0].get("count").asInt());
    assertEquals(answers[0].get("digest"), answers[1].get("digest"));
    assertTrue(answers[0].get("digest").isTextual());
  }

  @Test
  void severalQueriesAreAnsweredInTheirOrder() throws Exception {
    String file = train("m.bin");
    String[] queries = {"PosLength", "SwitchSet"};
    String[] tuples = {"segment", "semaphore,route,swP,sw"};
    List<String> line = new ArrayList<>(List.of("evaluate", file, "--language", "ocl"));
    for (int i = 0; i < queries.length; i++) {
      Path query = folder.resolve(queries[i]);
      Files.writeString(query, TrainQueries.text("ocl", queries[i]));
      line.addAll(List.of("--query", query.toString(), "--tuple", tuples[i]));
    }
    line.add("--json");
    Answer answer = run(line.toArray(String[]::new));
    assertEquals(0, answer.code(), answer.lastError());
    String[] lines = answer.out().split("\n");
    assertEquals(2, lines.length);
    int[] counts = {52, 1};
    for (int i = 0; i < queries.length; i++) {
      JsonNode json = new JsonMapper().readTree(lines[i]);
      assertTrue(json.get("query").asText().endsWith(queries[i]));
      assertEquals(counts[i], json.get("count").asInt());
    }
  }

  /** F stands for the folder. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "train --line 2018 --scenario batch --size 1 --output F/m.bin; 2; 2016, 2017",
        "train --line 2016 --scenario best --size 1 --output F/m.bin; 2; batch, inject, repair",
        "train --line 2016 --scenario batch --size 0 --output F/m.bin; 2; from 1 to 1000000",
        "train --line 2016 --scenario batch --size x --output F/m.bin; 2; --size",
        "train --line 2016 --scenario batch --size 1 --seed y --output F/m.bin; 2; --seed",
        "train --line 2016 --scenario batch --size 1 --output F/m.csv; 2; [.xmi, .bin]",
        "train --line 2016 --scenario batch --size 1 --output F/no/m.bin; 2; create it first",
        "train --line 2016 --scenario batch --size 1; 2; --output",
        "trian; 2; trian",
        "count F/none.bin --json; 3; does not exist",
        "count F; 3; not a file",
        "count F/model.json; 3; does not exist",
        "jdt --jar F/none.jar --output F/m; 3; none.jar do not exist",
        "jdt --jar F/none.jar --output F/m --split file; 2; single, package, unit",
        "jdt --output F/m; 2; --jar",
        "jdt --jar F/none.jar; 2; --output",
        "import --metamodel F/none.ecore --file F/m.xmi --output F/m; 3; none.ecore does not exist",
        "import --metamodel F/none.ecore --output F/m; 2; --file",
        "import --file F/m.xmi --output F/m; 2; --metamodel",
        "evaluate F/none.bin --language sql --query F/q --tuple a; 2; ocl, eol",
        "evaluate F/none.bin --language ocl --query F/q --tuple a; 2; does not exist",
        "evaluate F/none.bin --language ocl; 2; --query",
        "evaluate F/none.bin --language ocl --query F/q; 2; --tuple",
        "evaluate F/none.bin --language ocl --query F/q --tuple a --query F/r; 2; --tuple"
      })
  void failures(String line, int code, String what) {
    Answer answer = run(line.replace("F", folder.toString()).split(" "));
    assertEquals(code, answer.code(), answer.lastError());
    assertTrue(answer.lastError().startsWith("error: "), answer.lastError());
    assertTrue(answer.lastError().contains(what), answer.lastError());
    assertEquals("", answer.out());
  }

  @Test
  void importedModelsAreCounted() throws Exception {
    Net net = new Net(folder.resolve("own"));
    Path file = net.write("m.xmi", Net.root("<parts xsi:type='net:Node' name='a'/>"));
    String output = folder.resolve("model").toString();
    Answer imported =
        run(
            "import",
            "--metamodel",
            net.metamodel.toString(),
            "--file",
            file.toString(),
            "--output",
            output,
            "--json");
    assertEquals(0, imported.code(), imported.lastError());
    String model = new JsonMapper().readTree(imported.out()).get("model").asText();
    assertEquals(folder.resolve("model").resolve("model.json").toString(), model);
    JsonNode json = new JsonMapper().readTree(run("count", model, "--json").out());
    assertEquals(2, json.at("/elements_per_class/Node").asInt());
    assertTrue(json.path("nodes").isMissingNode());
    assertTrue(json.path("matches_per_query").isMissingNode());
    Files.writeString(Path.of(model), "{}");
    assertEquals(3, run("count", model, "--json").code());
  }

  @Test
  void aMalformedQueryIsNamed() throws Exception {
    String file = train("m.bin");
    Path query = Files.writeString(folder.resolve("bad.ocl"), "railway::Route.allInstances(");
    Answer answer =
        run("evaluate", file, "--language", "ocl", "--query", query.toString(), "--tuple", "r");
    assertEquals(2, answer.code());
    assertTrue(answer.lastError().contains(query + ": Malformed OCL: line 1"), answer.lastError());
  }
}
