import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedWriter;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataException.Reason;
import org.modelstress.metadata.objects.MetadataObject;
import org.modelstress.metadata.population.Content;
import org.modelstress.metadata.service.MetadataService;
import org.modelstress.metadata.web.WebService;

/**
 * Clients of {@code storm.py}: writers that each update an object of their own, readers beside them.
 *
 * <pre>java -cp metadata.jar StormClient.java CONFIG</pre>
 *
 * <p>A reader that begins after an update was acknowledged has to see it. An update of which nobody
 * heard the end is there or not; its writer looks which before it goes on. What is wrong is a line
 * of {@code out} that begins with {@code wrong}; the last line says what was done.
 */
public final class StormClient {
  private static final int ATTRIBUTES = 12;
  private static final int OBJECTS_OF_A_WRITER = 20;
  private static final long PAUSE_MILLIS = 100;

  private final JsonNode config;
  private final BufferedWriter out;
  private final WebService.Shared shared = new WebService.Shared(2_000);
  private final Map<Long, Integer> acknowledged = new ConcurrentHashMap<>();
  private final AtomicLong updates = new AtomicLong();
  private final AtomicLong unknown = new AtomicLong();
  private final AtomicLong unknownThere = new AtomicLong();
  private final AtomicLong reads = new AtomicLong();
  private final AtomicLong failedReads = new AtomicLong();
  private final AtomicInteger wrong = new AtomicInteger();
  private final long wanted;

  private StormClient(JsonNode config, BufferedWriter out) {
    this.config = config;
    this.out = out;
    this.wanted = config.path("updates").asLong();
  }

  public static void main(String[] args) throws Exception {
    JsonNode config = new ObjectMapper().readTree(Path.of(args[0]).toFile());
    try (BufferedWriter out = Files.newBufferedWriter(Path.of(config.path("out").asText()))) {
      new StormClient(config, out).run();
    }
  }

  private MetadataService service() {
    return new WebService(shared, URI.create(config.path("endpoint").asText()), 5_000);
  }

  private synchronized void say(String line) {
    try {
      out.write(line + "\n");
      out.flush();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void wrong(String what) {
    wrong.incrementAndGet();
    say("wrong " + what);
  }

  private void run() throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < config.path("writers").asInt(); i++) {
      int number = i;
      threads.add(new Thread(() -> write(number), "writer-" + i));
    }
    int writers = threads.size();
    for (int i = 0; i < config.path("readers").asInt(); i++) {
      int number = i;
      threads.add(new Thread(() -> read(number), "reader-" + i));
    }
    threads.forEach(Thread::start);
    while (threads.stream().anyMatch(Thread::isAlive)) {
      say("done " + updates.get());
      Thread.sleep(500);
    }
    say(
        String.format(
            "end updates=%d unknown=%d unknown-there=%d reads=%d failed-reads=%d wrong=%d"
                + " objects=%d writers=%d",
            updates.get(),
            unknown.get(),
            unknownThere.get(),
            reads.get(),
            failedReads.get(),
            wrong.get(),
            acknowledged.size(),
            writers));
  }

  private void write(int number) {
    MetadataService service = service();
    Random random = new Random(number);
    List<MetadataObject> own = new ArrayList<>();
    while (updates.get() < wanted) {
      if (own.size() < OBJECTS_OF_A_WRITER) {
        MetadataObject made = create(service, random);
        if (made != null) {
          acknowledged.put(made.id(), 1);
          own.add(made);
        }
        continue;
      }
      int place = random.nextInt(own.size());
      own.set(place, update(service, own.get(place)));
    }
    for (MetadataObject each : own) { // nothing of what was acknowledged is gone at the end
      MetadataObject last = last(service, each.id());
      if (last.version() != each.version()) {
        wrong("object " + each.id() + " is in " + last.version() + ", not in " + each.version());
      }
    }
  }

  private MetadataObject create(MetadataService service, Random random) {
    try {
      String type = Content.type(ATTRIBUTES);
      service.define(type, Content.attributes(ATTRIBUTES));
      return service.create(type, Content.values(random.nextLong(), 1, ATTRIBUTES));
    } catch (MetadataException e) {
      pause(); // it is there or not, and nobody will ask for it
      return null;
    }
  }

  private MetadataObject update(MetadataService service, MetadataObject object) {
    int next = object.version() + 1;
    try {
      long key = (Long) object.value(Content.KEY);
      MetadataObject made =
          service.update(object.id(), object.version(), Content.changes(key, next, ATTRIBUTES));
      acknowledged.put(object.id(), made.version());
      updates.incrementAndGet();
      if (made.version() != next) {
        wrong("update of object " + object.id() + " made " + made.version() + ", not " + next);
      }
      return made;
    } catch (MetadataException e) {
      if (e.reason() == Reason.INVALID || e.reason() == Reason.NOT_FOUND) {
        wrong("update of object " + object.id() + ": " + e.getMessage());
      }
      unknown.incrementAndGet();
      pause();
      MetadataObject last = last(service, object.id());
      if (last.version() == next) {
        unknownThere.incrementAndGet();
      } else if (last.version() != object.version()) {
        wrong("object " + object.id() + " is in " + last.version() + " after " + e.getMessage());
      }
      return last;
    }
  }

  /** The last version, as soon as somebody answers. */
  private MetadataObject last(MetadataService service, long id) {
    while (true) {
      try {
        MetadataObject last = service.get(id);
        check(last);
        return last;
      } catch (MetadataException e) {
        if (e.reason() == Reason.NOT_FOUND) {
          wrong("object " + id + " is gone");
        }
        pause();
      }
    }
  }

  private void check(MetadataObject object) throws MetadataException {
    String why = Content.wrong(object);
    if (why != null) {
      wrong(why);
    }
  }

  private void read(int number) {
    MetadataService service = service();
    Random random = new Random(1_000 + number);
    while (updates.get() < wanted) {
      List<Long> ids = new ArrayList<>(acknowledged.keySet());
      if (ids.isEmpty()) {
        pause();
        continue;
      }
      long id = ids.get(random.nextInt(ids.size()));
      int least = acknowledged.get(id);
      try {
        MetadataObject object = service.get(id);
        reads.incrementAndGet();
        check(object);
        if (object.version() < least) {
          wrong("object " + id + " was read in " + object.version() + " after " + least);
        }
      } catch (MetadataException e) {
        failedReads.incrementAndGet();
        if (e.reason() == Reason.NOT_FOUND || e.getMessage().contains("is broken")) {
          wrong("reading object " + id + ": " + e.getMessage());
        }
        pause();
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
