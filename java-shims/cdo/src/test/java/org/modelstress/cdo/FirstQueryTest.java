package org.modelstress.cdo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.eclipse.emf.ecore.EFactory;
import org.eclipse.emf.ecore.EPackage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The first queries of a server, which may be several at once, change nothing under each other. */
@Timeout(60)
class FirstQueryTest {
  @Test
  void aQueryDoesNotReplaceWhatMakesTheElementsOfOthers(@TempDir Path folder) throws Exception {
    TrainFixture train = new TrainFixture(folder, 1);
    try (ServedStore served = new ServedStore(train, Transport.TCP, Map.of())) {
      EFactory before = factory(served); // its package is loaded before anybody asks
      assertEquals(ElementFactory.class, before.getClass());
      served.assertAnswers();
      assertSame(before, factory(served));
    }
  }

  private static EFactory factory(ServedStore served) {
    EPackage loaded =
        Arrays.stream(served.repository.repository().getPackageRegistry().getPackageInfos())
            .filter(info -> info.getPackageURI().contains("train"))
            .findFirst()
            .orElseThrow()
            .getEPackage(false);
    assertNotNull(loaded);
    return loaded.getEFactoryInstance();
  }
}
