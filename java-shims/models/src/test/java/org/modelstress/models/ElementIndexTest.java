package org.modelstress.models;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.emf.ecore.EObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;

class ElementIndexTest {
  @Test
  void containmentOrder(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("corners.xmi");
    try (InputStream in = getClass().getResourceAsStream("corners.xmi")) {
      Files.copy(in, file);
    }
    ElementIndex index = new ElementIndex(ModelFiles.load(file));
    List<Object> ids = new ArrayList<>();
    for (int i = 1; i < index.size(); i++) {
      EObject element = index.element(i);
      ids.add(element.eGet(element.eClass().getEStructuralFeature("id")));
      assertEquals(i, index.indexOf(element));
    }
    assertEquals("RailwayContainer", index.element(0).eClass().getName());
    assertEquals(
        List.of(
            1, 11, 12, 2, 13, 3, 14, 4, 15, 5, 31, 32, 33, 21, 22, 23, 41, 51, 52, 53, 42, 43, 44,
            45, 46, 47),
        ids);
    assertArrayEquals(
        new long[] {2, 0, 2},
        index.indicesOf(List.of(index.element(2), index.element(0), index.element(2))));
  }

  @Test
  void strangers() {
    ElementIndex index = new ElementIndex(model());
    assertThrows(IllegalArgumentException.class, () -> index.indexOf(model()));
    assertThrows(IndexOutOfBoundsException.class, () -> index.element(index.size()));
  }

  private static EObject model() {
    return TrainGenerator.generate(Line.LINE_2017, Scenario.BATCH, 1, 1);
  }
}
