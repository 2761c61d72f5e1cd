package org.modelstress.hawk.graph.orient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.orientechnologies.orient.core.db.ODatabaseRecordThreadLocal;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.hawk.graph.GraphException;
import org.modelstress.hawk.graph.orient.SessionPool.Session;

/** Sessions are lent, bounded and bound to the thread that asks them. */
@Timeout(120)
class SessionPoolTest {
  @TempDir Path temp;

  @Test
  void sessionsAreBoundedAndUsedAgain() {
    try (OrientDatabase database = OrientDatabase.create(temp.resolve("db"), 64);
        SessionPool pool = new SessionPool(database, 2, 50)) {
      Session first = pool.lend();
      Session second = pool.lend();
      assertNotSame(first.orient(), second.orient());
      assertEquals(0, pool.idle());
      GraphException refused = assertThrows(GraphException.class, pool::lend);
      assertTrue(refused.getMessage().contains("50 ms"), refused.getMessage());
      first.close();
      first.close();
      assertEquals(1, pool.idle(), "closing twice gives back once");
      assertSame(first, pool.lend());
      assertThrows(GraphException.class, pool::lend);
      first.close();
      second.close();
      assertEquals(2, pool.idle());
    }
  }

  @Test
  void oneThreadUsesSessionsAlternately() {
    try (OrientDatabase database = OrientDatabase.create(temp.resolve("db"), 64);
        SessionPool pool = new SessionPool(database, 2, 50)) {
      try (Session first = pool.lend()) {
        try (Session second = pool.lend()) {
          assertTrue(first.orient().isActiveOnCurrentThread());
          assertTrue(second.orient().isActiveOnCurrentThread());
          assertTrue(first.orient().isActiveOnCurrentThread());
        }
        assertTrue(first.orient().isActiveOnCurrentThread());
      }
      assertTrue(
          !ODatabaseRecordThreadLocal.instance().isDefined(), "nothing stays with the thread");
    }
  }

  @Test
  void aClosedPoolLendsNothing() {
    try (OrientDatabase database = OrientDatabase.create(temp.resolve("db"), 64)) {
      SessionPool pool = new SessionPool(database, 2, 50);
      Session lent = pool.lend();
      pool.close();
      assertThrows(GraphException.class, pool::lend);
      lent.close();
      assertEquals(0, pool.idle());
    }
  }
}
