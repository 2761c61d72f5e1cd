package org.modelstress.models;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;

class OracleTest {
  @TempDir private Path folder;

  private String save(Scenario scenario) throws Exception {
    Path file = folder.resolve("m.bin");
    ModelFiles.save(
        TrainGenerator.generate(Line.LINE_2017, scenario, 1, TrainGenerator.DEFAULT_SEED), file);
    return file.toString();
  }

  /** A file that was replaced is read again, although its model was kept. */
  @Test
  void aReplacedModelIsReadAgain() throws Exception {
    String model = save(Scenario.REPAIR);
    assertEquals(52, Oracle.match(model, "PosLength").length);
    save(Scenario.BATCH);
    assertEquals(0, Oracle.match(model, "PosLength").length);
    Files.setLastModifiedTime(Path.of(model), FileTime.fromMillis(0));
    assertEquals(0, Oracle.match(model, "PosLength").length);
  }

  @Test
  void aRemovedModelIsMissing() throws Exception {
    String model = save(Scenario.REPAIR);
    Oracle.match(model, "PosLength");
    Files.delete(Path.of(model));
    assertThrows(ModelException.class, () -> Oracle.match(model, "PosLength"));
  }

  @Test
  void unknownNames() throws Exception {
    String model = save(Scenario.BATCH);
    String query =
        assertThrows(QueryException.class, () -> Oracle.match(model, "Length")).getMessage();
    assertTrue(query.contains("PosLength"), query);
    String language =
        assertThrows(
                QueryException.class,
                () -> Oracle.evaluate(model, "sql", "select 1", new String[] {"a"}))
            .getMessage();
    assertTrue(language.contains("[ocl, eol, epl]"), language);
  }
}
