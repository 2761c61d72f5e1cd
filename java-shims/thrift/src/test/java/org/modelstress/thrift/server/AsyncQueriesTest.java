package org.modelstress.thrift.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.modelstress.hawk.api.QueryReport;
import org.modelstress.hawk.api.QueryResult;

/** Asynchronous queries without a network. */
@Timeout(120)
class AsyncQueriesTest {
  @Test
  void aResultThatHasJustComeHasNotExpired() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    try (AsyncQueries queries = new AsyncQueries(ApiOptions.of(Map.of("async_timeout_s", 60)))) {
      Thread tidying =
          new Thread(
              () -> {
                while (!over.get()) {
                  queries.expire();
                }
              });
      tidying.start();
      try {
        for (int i = 0; i < 20_000; i++) {
          QueryResult result = QueryResult.vInteger(i);
          String id = queries.submit(cancellation -> new QueryReport(result, 0, false));
          assertEquals(result, queries.fetch(id).getResult());
        }
      } finally {
        over.set(true);
        tidying.join();
      }
    }
  }
}
