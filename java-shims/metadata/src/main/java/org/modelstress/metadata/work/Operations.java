package org.modelstress.metadata.work;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.simple.RandomSource;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.Outcome.Kind;
import org.modelstress.harness.spi.Result;
import org.modelstress.harness.spi.SessionContext;
import org.modelstress.metadata.objects.Discovery;
import org.modelstress.metadata.objects.Link;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataObject;
import org.modelstress.metadata.population.Content;
import org.modelstress.metadata.population.Population;
import org.modelstress.metadata.service.Change;
import org.modelstress.metadata.service.Changed;
import org.modelstress.metadata.service.MetadataService;

/**
 * What a client does, by names of actions. Whatever it reads it compares with what was written
 * ({@link Content}).
 */
public final class Operations {
  private static final String LINK = "beside";
  private static final int ATTEMPTS = 100;

  private final MetadataService service;
  private final SessionContext who;
  private final Shared shared;
  private final int attributes;
  private final UniformRandomProvider random;
  private final Map<String, Action> actions = new HashMap<>();
  private final Map<String, LongSupplier> accesses = new HashMap<>();
  private MetadataObject own;
  private String type;
  private int sinceBurst;
  private int attempts;

  /** What all sessions of a client process have in common. */
  public static final class Shared {
    private long firstCreated = Long.MAX_VALUE;
    private long lastCreated;
    private final AtomicLong sequential = new AtomicLong();
    private final AtomicLong scattered = new AtomicLong();
    private Population population;

    /** Notes what was created; identifiers of one process are in a row. */
    synchronized void created(List<Long> ids) {
      firstCreated = Math.min(firstCreated, ids.get(0));
      lastCreated = Math.max(lastCreated, ids.get(ids.size() - 1));
    }

    /** Any of the objects that were created; 0 where there is none yet. */
    synchronized long anyCreated(UniformRandomProvider random) {
      return lastCreated == 0 ? 0 : firstCreated + random.nextLong(lastCreated - firstCreated + 1);
    }

    synchronized Population population(MetadataService service) throws MetadataException {
      if (population == null) {
        population = LoadedPopulation.of(service);
      }
      return population;
    }
  }

  /** An action: what came of it, or why nothing did. */
  @FunctionalInterface
  private interface Action {
    Outcome run(Map<String, Object> parameters) throws MetadataException;
  }

  /**
   * A client.
   *
   * @param service that it calls
   * @param attributes of objects that it creates
   */
  public Operations(MetadataService service, SessionContext who, Shared shared, int attributes) {
    this.service = service;
    this.who = who;
    this.shared = shared;
    this.attributes = attributes;
    this.random = RandomSource.XO_RO_SHI_RO_128_PP.create(who.seed());
    actions.put("create", this::create);
    actions.put("create-batch", this::createBatch);
    actions.put("submit", this::submit);
    actions.put("update-own", this::updateOwn);
    actions.put("update-shared", this::updateShared);
    actions.put("retrieve", this::retrieve);
    actions.put("retrieve-created", this::retrieveCreated);
    actions.put("retrieve-batch", this::retrieveBatch);
    actions.put("discover-value", this::discoverValue);
    actions.put("discover-range", this::discoverRange);
    actions.put("link", this::link);
    actions.put("discover-links", this::discoverLinks);
  }

  /**
   * Runs an operation.
   *
   * @param name of it; parameter {@code action} where several operations are one action
   */
  public Outcome run(String name, Map<String, Object> parameters) {
    Object wanted = parameters.getOrDefault("action", name);
    Action action = actions.get(String.valueOf(wanted));
    if (action == null) {
      return Outcome.failed(
          Kind.ERROR, "there is no action " + wanted + "; there are " + actions.keySet());
    }
    attempts = 1;
    try {
      return action.run(parameters).withAttempts(attempts);
    } catch (MetadataException e) {
      return Outcome.failed(kind(e.reason()), e.getMessage()).withAttempts(attempts);
    } catch (IllegalArgumentException e) { // a parameter
      return Outcome.failed(Kind.ERROR, e.getMessage());
    }
  }

  private static Kind kind(MetadataException.Reason reason) {
    return switch (reason) {
      case CONFLICT -> Kind.ABORTED;
      case BUSY -> Kind.REJECTED;
      case TIMEOUT -> Kind.TIMEOUT;
      case INVALID, NOT_FOUND, FAILED -> Kind.ERROR;
    };
  }

  private static int number(Map<String, Object> parameters, String name, int fallback) {
    Object value = parameters.getOrDefault(name, fallback);
    if (value instanceof Number number && number.intValue() > 0) {
      return number.intValue();
    }
    throw new IllegalArgumentException(name + ": is " + value + "; it is a number above 0");
  }

  private static Outcome ok(int objects) {
    return Outcome.ok(new Result.Count(objects));
  }

  private static Outcome made(int made, int wanted) {
    return made == wanted ? ok(wanted) : incorrect(made + " of " + wanted + " objects were made");
  }

  private static Outcome incorrect(String why) {
    return Outcome.failed(Kind.INCORRECT, why);
  }

  /** The type of what this client creates; it is defined by whoever needs it first. */
  private String type() throws MetadataException {
    if (type != null) {
      return type;
    }
    String name = Content.type(attributes);
    if (!service.types().contains(name)) {
      try {
        service.define(name, Content.attributes(attributes));
      } catch (MetadataException e) {
        if (e.reason() != MetadataException.Reason.CONFLICT) {
          throw e;
        }
      }
    }
    type = name;
    return name;
  }

  private Outcome create(Map<String, Object> parameters) throws MetadataException {
    long key = random.nextLong();
    MetadataObject made = service.create(type(), Content.values(key, 1, attributes));
    return made.version() == 1 ? ok(1) : incorrect("a new object is in version " + made.version());
  }

  private List<Map<String, Object>> contents(int count) {
    List<Map<String, Object>> values = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      values.add(Content.values(random.nextLong(), 1, attributes));
    }
    return values;
  }

  private Outcome createBatch(Map<String, Object> parameters) throws MetadataException {
    int count = number(parameters, "objects", 100);
    List<Long> made = service.createAll(type(), contents(count));
    shared.created(made);
    return made(made.size(), count);
  }

  /** Hands a group over and waits until it is told that it happened. */
  private Outcome submit(Map<String, Object> parameters) throws MetadataException {
    int count = number(parameters, "objects", 100);
    String name = type();
    List<Change> group = new ArrayList<>(count);
    for (Map<String, Object> values : contents(count)) {
      group.add(new Change.Create(name, values));
    }
    long ticket = service.submit(group);
    long end = System.nanoTime() + who.options().timeoutMillis() * 1_000_000;
    List<Changed> changed = null;
    while (changed == null) {
      long left = (end - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        return Outcome.failed(Kind.TIMEOUT, "the group has not ended in time");
      }
      changed = service.await(ticket, left);
    }
    return made(changed.size(), count);
  }

  /**
   * Makes the next version of an object that this client has made at first (the report's 4.2),
   * after a pause where {@code burst} updates are over.
   */
  private Outcome updateOwn(Map<String, Object> parameters) throws MetadataException {
    if (parameters.containsKey("burst") && ++sinceBurst > number(parameters, "burst", 1)) {
      sinceBurst = 1;
      who.think(number(parameters, "pause_ms", 1_000));
    }
    if (own == null) {
      own = service.create(type(), Content.values(random.nextLong(), 1, attributes));
    }
    long key = (Long) own.value(Content.KEY);
    int next = own.version() + 1;
    try {
      own = service.update(own.id(), own.version(), Content.changes(key, next, attributes));
    } catch (MetadataException e) {
      own = null; // what became of it is not known; another one is made
      throw e;
    }
    return own.version() == next ? ok(1) : incorrect("there is a gap before version " + next);
  }

  /** Makes the next version of one of few objects that all clients update. */
  private Outcome updateShared(Map<String, Object> parameters) throws MetadataException {
    Population all = population();
    long id =
        all.first() + random.nextLong(Math.min(all.count(), number(parameters, "objects", 10)));
    while (true) {
      MetadataObject last = service.get(id);
      String wrong = Content.wrong(last);
      if (wrong != null) {
        return incorrect(wrong);
      }
      try {
        long key = (Long) last.value(Content.KEY);
        int next = last.version() + 1;
        service.update(id, last.version(), Content.changes(key, next, all.attributes()));
        return ok(1);
      } catch (MetadataException e) {
        if (e.reason() != MetadataException.Reason.CONFLICT
            || attempts == number(parameters, "attempts", ATTEMPTS)) {
          throw e;
        }
        attempts++;
      }
    }
  }

  private Population population() throws MetadataException {
    Population all = shared.population(service);
    if (all.count() == 0) {
      throw new IllegalArgumentException("the store was loaded without objects; give a dataset");
    }
    return all;
  }

  private long chosen(Map<String, Object> parameters) throws MetadataException {
    Population all = population();
    String access = String.valueOf(parameters.getOrDefault("access", "uniform"));
    AtomicLong place = access.equals("scattered") ? shared.scattered : shared.sequential;
    LongSupplier places =
        accesses.computeIfAbsent(
            access, name -> AccessPattern.of(name, all.count(), place, random));
    return all.first() + places.getAsLong();
  }

  private Outcome retrieve(Map<String, Object> parameters) throws MetadataException {
    MetadataObject object = service.get(chosen(parameters), 1);
    String wrong = Content.wrong(object);
    return wrong == null ? ok(1) : incorrect(wrong);
  }

  /** Retrieves any object that this process has created so far, in a store that grows. */
  private Outcome retrieveCreated(Map<String, Object> parameters) throws MetadataException {
    long id = shared.anyCreated(random);
    if (id == 0) {
      return ok(0); // nothing is there yet
    }
    String wrong = Content.wrong(service.get(id, 1));
    return wrong == null ? ok(1) : incorrect(wrong);
  }

  private Outcome retrieveBatch(Map<String, Object> parameters) throws MetadataException {
    int count = number(parameters, "objects", 100);
    List<Long> ids = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      ids.add(chosen(parameters));
    }
    List<MetadataObject> objects = service.getAll(ids);
    long distinct = ids.stream().distinct().count();
    if (objects.size() != distinct) {
      return incorrect(objects.size() + " of " + distinct + " objects came back");
    }
    for (MetadataObject object : objects) {
      String wrong = Content.wrong(object);
      if (wrong != null) {
        return incorrect(wrong);
      }
    }
    return ok(objects.size());
  }

  private Outcome discoverValue(Map<String, Object> parameters) throws MetadataException {
    Population all = population();
    long key = random.nextLong(all.count());
    Object station = Content.values(key, 1, all.attributes()).get(Content.STATION);
    List<Long> found =
        service.discover(
            Discovery.value(
                Content.type(all.attributes()), Content.STATION, station, limit(parameters)));
    boolean full = found.size() == limit(parameters);
    return full || found.contains(all.first() + key)
        ? ok(found.size())
        : incorrect("object " + (all.first() + key) + " is not found by its station");
  }

  private static int limit(Map<String, Object> parameters) {
    return number(parameters, "limit", 1_000);
  }

  private Outcome discoverRange(Map<String, Object> parameters) throws MetadataException {
    Population all = population();
    long key = random.nextLong(all.count());
    double peak = (Double) Content.values(key, 1, all.attributes()).get(Content.PEAK);
    double width = (double) number(parameters, "expected", 100) / all.count();
    List<Long> found =
        service.discover(
            new Discovery(
                Content.type(all.attributes()),
                Content.PEAK,
                peak,
                peak + width,
                limit(parameters)));
    return found.contains(all.first() + key)
        ? ok(found.size())
        : incorrect("object " + (all.first() + key) + " is not found by its peak");
  }

  private Outcome link(Map<String, Object> parameters) throws MetadataException {
    service.link(new Link(chosen(parameters), LINK, chosen(parameters)));
    return ok(1);
  }

  private Outcome discoverLinks(Map<String, Object> parameters) throws MetadataException {
    long id = chosen(parameters);
    List<Link> links = service.links(id, random.nextBoolean(), LINK, limit(parameters));
    for (Link link : links) {
      if (link.source() != id && link.target() != id) {
        return incorrect("a link of object " + id + " is another one's");
      }
    }
    return ok(links.size());
  }
}
