package org.modelstress.harness.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.modelstress.harness.config.ConfigException;
import org.modelstress.harness.spi.Endpoints;

/** Where the load goes when one node of several has been restarted. */
class NodesTest {
  private final Target target = new Target(parse("writer=tcp://h:1", "replica=tcp://h:2"));

  private static Endpoints parse(String... words) {
    try {
      return Addresses.parse(List.of(words));
    } catch (ConfigException e) {
      throw new AssertionError(e);
    }
  }

  private String url(String node) {
    return target.endpoints().node(node).uri().toString();
  }

  @Test
  void nodesThatWereNotRestartedKeepTheirAddressesAndTheirOrder() throws Exception {
    target.hold();
    target.release(Addresses.restarted("{\"endpoints\": {\"replica\": \"tcp://h:3\"}}"));
    assertEquals("tcp://h:1", url("writer"));
    assertEquals("tcp://h:3", url("replica"));
    assertEquals(List.of("writer", "replica"), List.copyOf(target.endpoints().nodes().keySet()));
  }

  @Test
  void aBareAddressIsOfTheFirstNodeWhateverItsName() throws Exception {
    target.hold();
    target.release(Addresses.restarted("{\"endpoint\": \"tcp://h:3\"}"));
    assertEquals("tcp://h:3", url("writer"));
    assertEquals(2, target.endpoints().nodes().size());
  }

  @Test
  void theLoadStaysHeldWhenANodeIsUnknown() throws Exception {
    target.hold();
    var restarted = Addresses.restarted("{\"endpoints\": {\"reader\": \"tcp://h:3\"}}");
    assertThrows(IllegalArgumentException.class, () -> target.release(restarted));
    assertEquals(true, target.held());
    assertEquals("tcp://h:1", url("writer"));
  }

  @Test
  void aLineWithoutAnAddressIsRefused() {
    for (String json : List.of("{}", "{\"endpoints\": {}}", "{\"endpoint\": 3}", "x")) {
      assertThrows(ConfigException.class, () -> Addresses.restarted(json), json);
    }
  }
}
