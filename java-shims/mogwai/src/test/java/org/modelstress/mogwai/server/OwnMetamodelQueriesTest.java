package org.modelstress.mogwai.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.harness.samples.ElementIds;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Ids;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.models.Oracle;
import org.modelstress.mogwai.driver.MogwaiDriver;

/** Queries over the wire on a model of several files that brings its metamodels. */
@Timeout(120)
class OwnMetamodelQueriesTest {
  private static final Path MODEL = Path.of("../example/src/test/model/model.json");

  @TempDir Path folder;

  @Test
  void queriesFindWhatTheOracleFinds() throws Exception {
    ServerConfig given = Served.config(folder, Map.of("tcp", 0), Map.of("cache_mb", 16));
    ServerConfig config =
        new ServerConfig(
            given.tool(),
            given.backend(),
            MODEL,
            given.store(),
            given.work(),
            given.bind(),
            given.ports(),
            given.attributes(),
            given.options());
    new MogwaiServer().load(config, (done, total) -> {});
    ElementIds ids = IdsFile.read(config.store().resolve("ids.mssf"));
    try (ToolServer.Running server = new MogwaiServer().serve(config);
        MogwaiDriver driver = new MogwaiDriver();
        Driver.Session session =
            driver.open(
                new Endpoint(URI.create(server.endpoints().get("tcp"))),
                new Options(60_000, Map.of()))) {
      for (String text :
          List.of(
              "orders::Order.allInstances()->select(o | o._'static' and o.value = 3)",
              "orders::Order.allInstances()->select(o | o._'package' = 'a.b' and o._'interface'"
                  + " and o._'finally'->includes('') and o._'limit' > 5 and o.colours->size() = 2)",
              "orders::Order.allInstances()"
                  + "->select(o | o._'order' <> null and o._'order'.name = 'loose')",
              "orders::Named.allInstances()->select(n | n.name = 'nobody')",
              "orders::Named.allInstances()->select(n | n.oclIsTypeOf(orders::payment::Invoice))",
              "parts::Part.allInstances()"
                  + "->select(p | p.neededBy->exists(o | o.type = orders::Kind::SMALL))",
              "orders::payment::Line.allInstances()"
                  + "->select(l | l.part.oclIsTypeOf(parts::Screw))",
              "parts::Screw.allInstances()->select(s | s.revRefNav_part->notEmpty())")) {
        Map<String, Object> parameters = Map.of("language", "ocl", "tuple", List.of("element"));
        Outcome outcome = session.execute(new Operation("Q", text, parameters, 0));
        assertEquals(Outcome.Kind.OK, outcome.kind(), () -> text + ": " + outcome.detail());
        List<String> found = ((Ids.Strings) outcome.ids()).values();
        long[] indices = found.stream().mapToLong(ids::indexOf).sorted().toArray();
        long[] expected = Oracle.evaluate("" + MODEL, "ocl", text, new String[] {"element"});
        Arrays.sort(expected);
        assertTrue(expected.length > 0, text);
        assertEquals(Arrays.toString(expected), Arrays.toString(indices), text);
      }
    }
  }
}
