package org.modelstress.metadata.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.metadata.Backends;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.population.Content;
import org.modelstress.metadata.service.LocalService;

/** Every version is looked at, few at a time, and a gap is seen wherever it is. */
class VersionCheckTest {
  private static final int ATTRIBUTES = 4;
  private static final int MANY = 70;

  @TempDir private Path folder;

  @Test
  void manyVersionsOfFewObjectsAreCountedAndAGapAmongThemIsSeen() throws Exception {
    Backends backends = new Backends(folder);
    try {
      LocalService service = backends.service("h2", "rows", "transactions", "types");
      service.define(Content.type(ATTRIBUTES), Content.attributes(ATTRIBUTES));
      long few = object(service, 1, 3);
      long many = object(service, 2, MANY);
      VersionCheck check = new VersionCheck(service);
      assertEquals(new VersionCheck.Counted(2, 2 + MANY - 1, null), check.look());
      // windows of 1, 2, 4, 8 … versions: 31 is the last of one, 32 the first of the next
      for (int version : new int[] {2, 32, 31, MANY - 1}) {
        delete(backends, many, version);
        assertEquals("object " + many + " has no version " + version, check.look().wrong());
        insertAgain(backends, many, version);
        assertNull(check.look().wrong());
      }
      delete(backends, few, 1);
      assertEquals("object " + few + " has no version 1", check.look().wrong());
    } finally {
      backends.close();
    }
  }

  private static long object(LocalService service, long key, int versions)
      throws MetadataException {
    long id = service.create(Content.type(ATTRIBUTES), Content.values(key, 1, ATTRIBUTES)).id();
    for (int version = 2; version <= versions; version++) {
      service.update(id, version - 1, Content.changes(key, version, ATTRIBUTES));
    }
    return id;
  }

  /** Puts a version far away, as that of no object. */
  private static void delete(Backends backends, long id, int version) throws Exception {
    move(backends, id, version, -id);
  }

  private static void insertAgain(Backends backends, long id, int version) throws Exception {
    move(backends, -id, version, id);
  }

  private static void move(Backends backends, long id, int version, long to) throws Exception {
    try (Connection connection = DriverManager.getConnection(backends.url("h2", "rows"));
        Statement statement = connection.createStatement()) {
      for (String table : new String[] {"object_version", "attribute_value"}) {
        statement.executeUpdate(
            "UPDATE "
                + table
                + " SET id = "
                + to
                + " WHERE id = "
                + id
                + " AND version = "
                + version);
      }
    }
  }
}
