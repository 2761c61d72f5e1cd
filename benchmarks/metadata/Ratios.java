import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.modelstress.databases.Database;
import org.modelstress.databases.DatabaseServer;
import org.modelstress.metadata.objects.Attribute;
import org.modelstress.metadata.objects.ValueType;
import org.modelstress.metadata.population.Content;
import org.modelstress.metadata.service.Configuration;
import org.modelstress.metadata.service.LocalService;
import org.modelstress.metadata.store.ObjectStore;
import org.modelstress.metadata.web.WebServer;
import org.modelstress.metadata.web.WebService;

/**
 * What the service costs over its database: the same rows and statements by plain JDBC and by the
 * database's own bulk path, in turns in one run, on the same tables with the same indexes.
 *
 * <pre>java -cp metadata.jar benchmarks/metadata/Ratios.java BACKEND SECONDS</pre>
 *
 * <p>Printed are objects per second of each side (medians of slices) and the ratio service / plain,
 * with the lowest and highest ratio of two slices beside each other.
 */
public final class Ratios {
  private static final int ATTRIBUTES = 12;
  private static final int BATCH = 1_000;
  private static final int SLICES = 12;
  private static final String TYPE = Content.type(ATTRIBUTES);

  private final List<AutoCloseable> opened = new ArrayList<>();
  private final Random random = new Random(11);
  private final String url;
  private final LocalService local;
  private final WebService web;
  private final Connection raw;
  private final Connection reading;
  private final boolean postgres;
  private long typeId;
  private long next;
  private long first;

  private interface Work {
    /** Does it once; the number of objects. */
    int once() throws Exception;
  }

  private Ratios(String url) throws Exception {
    this.url = url;
    this.postgres = url.startsWith("jdbc:postgresql:");
    Configuration configuration = new Configuration("service-lock", "types", 1, 60_000);
    local = new LocalService(ObjectStore.of(url, "rows", 8), configuration);
    opened.add(local);
    local.define(TYPE, Content.attributes(ATTRIBUTES));
    typeId = local.type(TYPE).id();
    WebServer server = WebServer.start(local, "127.0.0.1", 0);
    opened.add(server);
    web =
        new WebService(
            new WebService.Shared(5_000),
            java.net.URI.create(server.endpoints().get("http")),
            60_000);
    String options = postgres ? "" : "&useServerPrepStmts=true&allowLocalInfile=true";
    raw = DriverManager.getConnection(url + options);
    raw.setAutoCommit(false);
    opened.add(raw);
    reading = DriverManager.getConnection(url + options);
    opened.add(reading);
    next = 1L << 40; // far from what the service takes
  }

  public static void main(String[] args) throws Exception {
    Path folder = Files.createTempDirectory("modelstress-ratios");
    Database database = Database.of(args[0]);
    double seconds = Double.parseDouble(args[1]) / (4 * 2 * SLICES);
    database.prepare(folder, null);
    database.create(folder.resolve("data"), "metadata");
    try (DatabaseServer server = database.start(folder.resolve("data"), "127.0.0.1", 0, "m")) {
      ObjectStore.create(server.jdbc(), "rows", true);
      Ratios ratios = new Ratios(server.jdbc());
      try {
        ratios.run(args[0], seconds);
      } finally {
        Collections.reverse(ratios.opened);
        for (AutoCloseable each : ratios.opened) {
          each.close();
        }
      }
    } finally {
      try (Stream<Path> files = Files.walk(folder)) {
        files.sorted(Collections.reverseOrder()).forEach(file -> file.toFile().delete());
      }
    }
  }

  private void run(String backend, double seconds) throws Exception {
    first = local.createAll(TYPE, values(10_000)).get(0);
    compare(backend, "bulk creation", seconds, this::bulk, () -> local.createAll(TYPE, values(BATCH)).size());
    compare(backend, "single durable creation", seconds, this::single, () -> single(local));
    compare(backend, "retrieval", seconds, this::read, () -> check(local));
    compare(backend, "retrieval over the web", seconds, this::read, () -> check(web));
    compare(backend, "single creation over the web", seconds, this::single, () -> single(web));
    compare(
        backend, "bulk creation over the web", seconds, this::bulk, () -> web.createAll(TYPE, values(BATCH)).size());
  }

  private int single(org.modelstress.metadata.service.MetadataService service) throws Exception {
    service.create(TYPE, Content.values(random.nextLong(), 1, ATTRIBUTES));
    return 1;
  }

  private int check(org.modelstress.metadata.service.MetadataService service) throws Exception {
    String wrong = Content.wrong(service.get(first + random.nextInt(10_000), 1));
    if (wrong != null) {
      throw new IllegalStateException(wrong);
    }
    return 1;
  }

  private List<Map<String, Object>> values(int count) {
    List<Map<String, Object>> values = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      values.add(Content.values(random.nextLong(), 1, ATTRIBUTES));
    }
    return values;
  }

  private void compare(String backend, String what, double seconds, Work plain, Work service)
      throws Exception {
    double[] plainRates = new double[SLICES];
    double[] serviceRates = new double[SLICES];
    rate(plain, seconds); // warm-up
    rate(service, seconds);
    for (int slice = 0; slice < SLICES; slice++) {
      boolean plainFirst = slice % 2 == 0; // ABBA
      if (plainFirst) {
        plainRates[slice] = rate(plain, seconds);
      }
      serviceRates[slice] = rate(service, seconds);
      if (!plainFirst) {
        plainRates[slice] = rate(plain, seconds);
      }
    }
    double[] ratios = new double[SLICES];
    for (int slice = 0; slice < SLICES; slice++) {
      ratios[slice] = serviceRates[slice] / plainRates[slice];
    }
    Arrays.sort(ratios);
    System.out.printf(
        Locale.ROOT,
        "%-11s %-29s plain %9.1f/s  service %9.1f/s  ratio %.2f (%.2f to %.2f)%n",
        backend,
        what,
        median(plainRates),
        median(serviceRates),
        median(ratios),
        ratios[0],
        ratios[SLICES - 1]);
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return (sorted[(SLICES - 1) / 2] + sorted[SLICES / 2]) / 2;
  }

  private static double rate(Work work, double seconds) throws Exception {
    long begin = System.nanoTime();
    long objects = 0;
    double passed;
    do {
      objects += work.once();
      passed = (System.nanoTime() - begin) / 1e9;
    } while (passed < seconds);
    return objects / passed;
  }

  /** The stored texts of an object: 10 rows of one table, 2 of the other. */
  private static String[] stored(Map<String, Object> values) {
    List<Attribute> attributes = Content.attributes(ATTRIBUTES);
    String[] texts = new String[ATTRIBUTES];
    for (int place = 0; place < ATTRIBUTES; place++) {
      ValueType type = attributes.get(place).type();
      texts[place] = type.encode(values.get(attributes.get(place).name()));
    }
    return texts;
  }

  private static final String VERSION =
      "INSERT INTO object_version (id, version, type, type_version, made) VALUES (?, 1, ?, 1, ?)";

  private static String rows(String table, String columns, String one, int count) {
    return "INSERT INTO " + table + " " + columns + " VALUES "
        + String.join(", ", Collections.nCopies(count, one));
  }

  private int single() throws SQLException {
    String[] texts = stored(Content.values(random.nextLong(), 1, ATTRIBUTES));
    long id = next++;
    try (PreparedStatement version = raw.prepareStatement(VERSION);
        PreparedStatement values =
            raw.prepareStatement(
                rows("attribute_value", "(id, version, place, stored)", "(?, ?, ?, ?)", 10));
        PreparedStatement indexed =
            raw.prepareStatement(
                rows(
                    "indexed_value",
                    "(id, version, place, type, stored)",
                    "(?, ?, ?, ?, ?)",
                    2))) {
      version.setLong(1, id);
      version.setLong(2, typeId);
      version.setLong(3, System.currentTimeMillis());
      version.executeUpdate();
      int parameter = 1;
      int other = 1;
      for (int place = 0; place < ATTRIBUTES; place++) {
        if (place == 1 || place == 2) {
          indexed.setLong(other++, id);
          indexed.setInt(other++, 1);
          indexed.setInt(other++, place);
          indexed.setLong(other++, typeId);
          indexed.setString(other++, texts[place]);
        } else {
          values.setLong(parameter++, id);
          values.setInt(parameter++, 1);
          values.setInt(parameter++, place);
          values.setString(parameter++, texts[place]);
        }
      }
      values.executeUpdate();
      indexed.executeUpdate();
    }
    raw.commit();
    return 1;
  }

  private static final String PART =
      "SELECT v.id AS id, v.version AS version, v.type AS type, v.type_version AS type_version,"
          + " a.place AS place, a.stored AS stored FROM object_version v JOIN %s a ON a.id = v.id"
          + " AND a.version = v.version WHERE v.id = ? AND v.version = ?";
  private static final String READ =
      String.format(PART, "attribute_value") + " UNION ALL " + String.format(PART, "indexed_value");

  private int read() throws SQLException {
    long id = first + random.nextInt(10_000);
    int found = 0;
    try (PreparedStatement statement = reading.prepareStatement(READ)) {
      statement.setLong(1, id);
      statement.setInt(2, 1);
      statement.setLong(3, id);
      statement.setInt(4, 1);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          rows.getInt(5);
          found += rows.getString(6).isEmpty() ? 0 : 1;
        }
      }
    }
    if (found != ATTRIBUTES) {
      throw new IllegalStateException("object " + id + " has " + found + " values");
    }
    return 1;
  }

  /** The database's own bulk path, of texts made beforehand as far as that is possible. */
  private int bulk() throws Exception {
    StringBuilder versions = new StringBuilder();
    StringBuilder values = new StringBuilder();
    StringBuilder indexed = new StringBuilder();
    long now = System.currentTimeMillis();
    for (int i = 0; i < BATCH; i++) {
      long id = next++;
      String[] texts = stored(Content.values(random.nextLong(), 1, ATTRIBUTES));
      versions.append(id).append("\t1\t").append(typeId).append("\t1\t").append(now).append('\n');
      for (int place = 0; place < ATTRIBUTES; place++) {
        boolean isIndexed = place == 1 || place == 2;
        StringBuilder to = isIndexed ? indexed : values;
        to.append(id).append("\t1\t").append(place).append('\t');
        if (isIndexed) {
          to.append(typeId).append('\t');
        }
        to.append(texts[place]).append('\n');
      }
    }
    insert("object_version", "id, version, type, type_version, made", versions);
    insert("attribute_value", "id, version, place, stored", values);
    insert("indexed_value", "id, version, place, type, stored", indexed);
    raw.commit();
    return BATCH;
  }

  private void insert(String table, String columns, StringBuilder rows) throws Exception {
    byte[] bytes = rows.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
    var in = new java.io.ByteArrayInputStream(bytes);
    if (postgres) {
      raw.unwrap(org.postgresql.PGConnection.class)
          .getCopyAPI()
          .copyIn("COPY " + table + " (" + columns + ") FROM STDIN", in);
      return;
    }
    try (var statement = raw.createStatement()) {
      statement.unwrap(org.mariadb.jdbc.Statement.class).setLocalInfileInputStream(in);
      statement.execute(
          "LOAD DATA LOCAL INFILE 'rows' INTO TABLE " + table + " CHARACTER SET utf8mb4 ("
              + columns + ")");
    }
  }
}
