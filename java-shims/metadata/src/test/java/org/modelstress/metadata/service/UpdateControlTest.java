package org.modelstress.metadata.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.modelstress.metadata.Backends;
import org.modelstress.metadata.check.VersionCheck;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataException.Reason;
import org.modelstress.metadata.objects.MetadataObject;
import org.modelstress.metadata.population.Content;

/** Many clients update few objects: no update is lost, no version there twice or missing. */
class UpdateControlTest {
  private static final int CLIENTS = 16;
  private static final int UPDATES = 40;
  private static final int OBJECTS = 5;
  private static final int ATTRIBUTES = 12;

  @TempDir private static Path folder;
  private static Backends backends;

  @BeforeAll
  static void open() {
    backends = new Backends(folder);
  }

  @AfterAll
  static void close() throws Exception {
    backends.close();
  }

  @ParameterizedTest
  @CsvSource({
    "postgresql, service-lock",
    "postgresql, queue",
    "mariadb, transactions",
    "sqlite, transactions"
  })
  void noUpdateIsLost(String backend, String control) throws Exception {
    update(backend, control);
  }

  @ParameterizedTest
  @Tag("long")
  @CsvSource({
    "postgresql, object-locks",
    "postgresql, transactions",
    "mariadb, queue",
    "h2, transactions"
  })
  void noUpdateIsLostByAllOthers(String backend, String control) throws Exception {
    update(backend, control);
  }

  private static void update(String backend, String control) throws Exception {
    LocalService service = backends.service(backend, "rows", control, "types");
    VersionCheck check = new VersionCheck(service);
    String type = Content.type(ATTRIBUTES);
    service.define(type, Content.attributes(ATTRIBUTES));
    List<Long> ids = new ArrayList<>();
    for (long key = 0; key < OBJECTS; key++) {
      ids.add(service.create(type, Content.values(key, 1, ATTRIBUTES)).id());
    }
    long before = check.look().updates();
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    List<Future<Integer>> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      Random random = new Random(i);
      clients.add(threads.submit(() -> update(service, ids, random)));
    }
    int acknowledged = 0;
    for (Future<Integer> client : clients) {
      acknowledged += client.get(2, TimeUnit.MINUTES);
    }
    threads.shutdown();
    assertEquals(CLIENTS * UPDATES, acknowledged);
    VersionCheck.Counted counted = check.look();
    assertNull(counted.wrong());
    assertEquals(acknowledged, counted.updates() - before);
  }

  private static int update(LocalService service, List<Long> ids, Random random)
      throws MetadataException {
    int done = 0;
    while (done < UPDATES) {
      MetadataObject last = service.get(ids.get(random.nextInt(ids.size())));
      assertNull(Content.wrong(last));
      long key = (Long) last.value(Content.KEY);
      try {
        service.update(
            last.id(), last.version(), Content.changes(key, last.version() + 1, ATTRIBUTES));
        done++;
      } catch (MetadataException e) {
        assertEquals(Reason.CONFLICT, e.reason(), e.getMessage());
      }
    }
    return done;
  }
}
