package org.modelstress.topology.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.net.URI;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Endpoints;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.Outcome.Kind;
import org.modelstress.harness.spi.SessionContext;
import org.modelstress.topology.Processes;
import org.modelstress.topology.check.StoreCheck;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.datasets.Dataset;

/** Clients whose sessions are opened anew, as the harness does after a failure. */
@Timeout(60)
class ReopenedSessionTest {
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final TopologyDriver driver = new TopologyDriver();
  private Map<String, String> stores;
  private Topology topology;
  private Endpoints endpoints;
  private long sessions;

  private void load(String name, Map<String, Object> parameters) throws Exception {
    open.push(driver);
    topology = Processes.topology("one-store", "tiers-1");
    stores = Map.of("ds1", Processes.store("reopened", open));
    Processes.load(topology, stores, Dataset.of(name, parameters));
    Processes processes = new Processes(topology, stores, null);
    open.push(processes);
    endpoints =
        new Endpoints(Map.of("m1", new Endpoint(URI.create(processes.endpoint("m1", "nio")))));
  }

  @AfterEach
  void end() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }

  private Driver.Session session(int thread) throws Exception {
    Options options =
        new Options(
            5_000, Map.of("topology", Processes.text("one-store", "tiers-1"), "protocol", "nio"));
    long number = sessions++;
    SessionContext who = new SessionContext(0, thread, number, 7 + number, options, nanos -> {});
    return driver.open(endpoints, who);
  }

  private static Outcome run(Driver.Session session, String action, Map<String, Object> parameters)
      throws Exception {
    return session.execute(new Operation(action, "", parameters, 0));
  }

  @Test
  void numbersOfNewCustomersAreNeverGivenTwice() throws Exception {
    load("marketplace-1", Map.of("accommodations", 201, "landlords", 3, "customers", 20));
    for (int thread : List.of(0, 1, 0, 0, 1)) {
      try (Driver.Session session = session(thread)) {
        for (int i = 0; i < 3; i++) {
          Outcome outcome = run(session, "add-customer", Map.of());
          assertEquals(Kind.OK, outcome.kind(), outcome.detail());
        }
      }
    }
    assertNull(StoreCheck.problem(topology, stores, "marketplace-1"));
  }

  @Test
  void whomAClientDeletedItStillKnows() throws Exception {
    load("customers", Map.of("customers", 10));
    for (int i = 0; i < 4; i++) {
      try (Driver.Session session = session(0)) {
        for (String action : List.of("find-customer", "find-customers", "delete-customer")) {
          Outcome outcome = run(session, action, Map.of());
          assertEquals(Kind.OK, outcome.kind(), outcome.detail());
        }
      }
    }
    try (Driver.Session session = session(0)) {
      assertEquals(6, run(session, "find-customers", Map.of()).items());
      assertEquals(Kind.OK, run(session, "insert-customer", Map.of()).kind());
      assertEquals(7, run(session, "find-customers", Map.of()).items());
    }
  }

  @Test
  void whatAClientFoundItStillKnows() throws Exception {
    load("customers", Map.of("customers", 40));
    try (Driver.Session session = session(0)) {
      Map<String, Object> all = Map.of("partitions", 1, "customers", 40);
      assertEquals(20, run(session, "find-range", all).items());
    }
    for (int i = 0; i < 20; i++) {
      try (Driver.Session session = session(0)) {
        Outcome outcome = run(session, "update-of-range", Map.of());
        assertEquals(Kind.OK, outcome.kind(), outcome.detail());
      }
    }
    try (Driver.Session session = session(0)) {
      assertEquals(Kind.REJECTED, run(session, "update-of-range", Map.of()).kind());
    }
  }

  @Test
  void reservationsAreMovedInSessionAfterSession() throws Exception {
    load("ferry", Map.of());
    Map<String, Integer> moved = new TreeMap<>();
    try (Driver.Session other = session(1)) {
      for (int i = 0; i < 8; i++) {
        try (Driver.Session session = session(0)) {
          moved.merge(run(session, "move-by-deltas", Map.of()).kind().name(), 1, Integer::sum);
        }
        moved.merge(run(other, "move-by-deltas", Map.of()).kind().name(), 1, Integer::sum);
      }
    }
    assertNull(moved.get(Kind.ERROR.name()), moved.toString());
    assertNull(StoreCheck.problem(topology, stores, "ferry"));
  }
}
