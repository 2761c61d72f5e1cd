package org.modelstress.harness.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.modelstress.harness.config.ConfigException;

class WorkloadTest {
  private static final String OPERATIONS = "\"operations\": [{\"name\": \"A\"}]";

  @TempDir Path folder;

  private Workload read(String json) throws Exception {
    Path file = folder.resolve("workload.json");
    Files.writeString(file, json);
    return Workload.read(file);
  }

  @Test
  void whatIsLeftOutHasTheDocumentedDefaults() throws Exception {
    Workload w = read("{" + OPERATIONS + ", \"executions\": 7, \"timeout_ms\": 100}");
    assertEquals(new Workload.WarmUp(10, 1.0, 2, null), w.warmup());
    assertEquals(Workload.Kind.CLOSED, w.mode().kind());
    assertEquals(Workload.Connection.PER_EXECUTION, w.connection());
    assertNull(w.uniqueCondition());
    assertEquals(Workload.Samples.ROWS, w.samples());
    assertEquals(1, w.operations().get(0).arity());
    assertEquals(1.0, w.operations().get(0).weight());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "\"executions\": 1, \"timeout_ms\": 1 | operations: names no operation",
        "OPS, \"timeout_ms\": 1 | executions: is missing",
        "OPS, \"executions\": 0, \"timeout_ms\": 1 | executions: 0 is not from 1",
        "OPS, \"executions\": 1 | timeout_ms: is missing",
        "OPS, \"executions\": \"1\", \"timeout_ms\": 1 | executions: ",
        "OPS, \"executions\": 1.5, \"timeout_ms\": 1 | executions: ",
        "OPS, \"executions\": 1, \"timeout_ms\": 1, \"colour\": 1 | colour: unknown key",
        "OPS, \"executions\": 1, \"timeout_ms\": 1, \"client\": 64 | client: 64 is not from 0 to 63",
        "OPS, \"executions\": 1, \"timeout_ms\": 1, \"samples\": \"few\" | samples: few does not fit",
        "OPS, \"executions\": 1, \"timeout_ms\": 1, \"mode\": {\"kind\": \"open\"} | mode.rate_per_s",
        "OPS, \"executions\": 1, \"timeout_ms\": 1, \"mode\": {\"kind\": \"odd\"} | mode.kind: odd",
        "OPS, \"executions\": 1, \"timeout_ms\": 1, \"warmup\": {\"threads\": 0} | warmup.threads: 0",
        "\"operations\": [{}], \"executions\": 1, \"timeout_ms\": 1 | operations[0].name: is missing",
        "\"operations\": [{\"name\": \"A\", \"wieght\": 1}] | operations[0].wieght: unknown key",
        "\"operations\": [{\"name\": \"A\", \"weight\": 0}] | operations: have no weight above 0",
        "\"operations\": [{\"name\": \"A\", \"weight\": -1}] | operations[0].weight",
        "\"operations\": [{\"name\": \"A\", \"arity\": 0}] | operations[0].arity: 0",
        "OPS, \"timeout_ms\": 1, \"window\": {} | window: needs one of seconds and objects",
        "OPS, \"timeout_ms\": 1, \"window\": {\"seconds\": 0} | window.seconds",
        "OPS, \"timeout_ms\": 1, \"window\": {\"objects\": 0} | window.objects",
        "OPS, \"executions\": 1, \"timeout_ms\": 1, \"window\": {\"seconds\": 1} | say one",
        "OPS, \"executions\": 1, \"timeout_ms\": 1, \"order\": [\"X\"] | unknown operation X",
        "OPS, \"executions\": 1, \"timeout_ms\": 1, \"unique_condition\": \" %1$d\" | operations[0].text",
      })
  void mistakesNameFileAndField(String json, String message) {
    ConfigException e =
        assertThrows(
            ConfigException.class, () -> read("{" + json.replace("OPS", OPERATIONS) + "}"));
    assertTrue(e.getMessage().contains(folder.resolve("workload.json") + ": "), e.getMessage());
    assertTrue(e.getMessage().contains(message), e.getMessage());
  }

  @Test
  void aConditionThatDoesNotVaryIsRefused() {
    ConfigException e =
        assertThrows(
            ConfigException.class,
            () ->
                read(
                    """
                    {"operations": [{"name": "A", "text": "x/*unique*/"}], "executions": 1,
                     "timeout_ms": 1, "unique_condition": " and 1 = 1"}
                    """));
    assertTrue(e.getMessage().contains("unique_condition: "), e.getMessage());
  }

  @Test
  void aMissingOrBrokenFileIsNamed() throws Exception {
    ConfigException missing =
        assertThrows(ConfigException.class, () -> Workload.read(folder.resolve("none.json")));
    assertTrue(missing.getMessage().contains("none.json: there is no such file"));
    ConfigException broken = assertThrows(ConfigException.class, () -> read("{\n\"a\": }"));
    assertTrue(broken.getMessage().contains("is not JSON, line 2"), broken.getMessage());
  }
}
