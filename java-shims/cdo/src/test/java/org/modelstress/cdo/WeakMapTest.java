package org.modelstress.cdo;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.eclipse.net4j.util.ref.ReferenceValueMap2;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Why CDO's server view can hand out two objects for one element: the map it keeps its objects in
 * loses an object that replaces a collected one. If this test fails, CDO has cured it, and {@code
 * strong_objects} and docs/tools/cdo.md have to be looked at again.
 */
@Timeout(60)
class WeakMapTest {
  @Test
  void aReplacementOfACollectedObjectIsLost() throws Exception {
    ReferenceValueMap2<String, Object> map = new ReferenceValueMap2.Weak<>();
    map.put("id", new Object());
    awaitCollected(map, "id");
    Object replacement = new Object();
    map.put("id", replacement);
    assertNull(map.get("id"), "the replacement is still known");
    assertNotNull(replacement);
  }

  @Test
  void strongReferencesLoseNothing() {
    ReferenceValueMap2<String, Object> map = new ReferenceValueMap2.Strong<>();
    Object object = new Object();
    map.put("id", object);
    System.gc();
    assertSame(object, map.get("id"));
  }

  /** Waits until the collector has cleared the value and queued its reference. */
  private static void awaitCollected(Map<String, Object> map, String key) throws Exception {
    while (map.get(key) != null) {
      System.gc();
      TimeUnit.MILLISECONDS.sleep(10);
    }
    TimeUnit.MILLISECONDS.sleep(200); // the reference handler queues it a little later
  }
}
