package org.modelstress.metadata.service;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.modelstress.metadata.objects.Attribute;
import org.modelstress.metadata.objects.Discovery;
import org.modelstress.metadata.objects.Limits;
import org.modelstress.metadata.objects.Link;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataException.Reason;
import org.modelstress.metadata.objects.MetadataObject;
import org.modelstress.metadata.objects.ObjectType;
import org.modelstress.metadata.objects.TypeDefinition;
import org.modelstress.metadata.store.Ids;
import org.modelstress.metadata.store.NewType;
import org.modelstress.metadata.store.ObjectStore;
import org.modelstress.metadata.store.StoreConnection;

/** The service in this process, on a store. */
public final class LocalService implements MetadataService {
  private final ObjectStore store;
  private final Ids ids;
  private final Cache cache;
  private final UpdateControl control;
  private final Groups groups;

  /**
   * A service.
   *
   * @param store closed with the service
   * @throws IllegalArgumentException where the configuration has an unknown word
   */
  public LocalService(ObjectStore store, Configuration configuration) {
    this.store = store;
    this.ids = new Ids(store);
    this.cache = new Cache(configuration.cache(), configuration.cachedObjects());
    this.control = UpdateControl.of(configuration.control(), store, configuration.timeoutMillis());
    this.groups = new Groups(this::change);
  }

  @Override
  public ObjectType define(String name, List<Attribute> attributes) throws MetadataException {
    Limits.name("type", name);
    ObjectType old = store.read(connection -> cache.type(connection, name));
    return old == null ? NewType.create(store, name, attributes) : redefine(old, attributes);
  }

  /** Objects of the older version have to stay what they are. */
  private ObjectType redefine(ObjectType old, List<Attribute> attributes) throws MetadataException {
    String text = TypeDefinition.write(TypeDefinition.checked(attributes));
    int before = old.attributes().size();
    if (attributes.equals(old.attributes())) {
      return old;
    }
    if (attributes.size() < before || !attributes.subList(0, before).equals(old.attributes())) {
      throw MetadataException.invalid(
          "type "
              + old.name()
              + " is there with other attributes; its next version can have more of them at the"
              + " end, nothing else");
    }
    update(old.id(), old.version(), Map.of("attributes", text));
    cache.defined(old.name());
    return new ObjectType(old.id(), old.version() + 1, old.name(), attributes);
  }

  @Override
  public ObjectType type(String name) throws MetadataException {
    ObjectType known = cache.known(name);
    ObjectType type =
        known != null ? known : store.read(connection -> cache.type(connection, name));
    if (type == null) {
      throw new MetadataException(
          Reason.NOT_FOUND, "there is no type '" + Limits.shortened(name) + "'");
    }
    return type;
  }

  @Override
  public List<String> types() throws MetadataException {
    return store.read(StoreConnection::typeNames);
  }

  @Override
  public MetadataObject create(String type, Map<String, Object> values) throws MetadataException {
    MetadataObject object = made(type, values, ids.next());
    store.write(
        connection -> {
          connection.insert(List.of(object));
          return null;
        });
    return cache.keep(object);
  }

  private MetadataObject made(String type, Map<String, Object> values, long id)
      throws MetadataException {
    ObjectType found = type(type);
    return new MetadataObject(id, 1, found, found.copied(values));
  }

  @Override
  public List<Long> createAll(String type, List<Map<String, Object>> values)
      throws MetadataException {
    if (values.isEmpty() || values.size() > Limits.BATCH) {
      throw MetadataException.invalid("a batch has 1 to " + Limits.BATCH + " objects");
    }
    ObjectType found = type(type);
    long id = Ids.take(store, values.size());
    List<MetadataObject> objects = new ArrayList<>(values.size());
    List<Long> made = new ArrayList<>(values.size());
    for (Map<String, Object> each : values) {
      made.add(id);
      objects.add(new MetadataObject(id++, 1, found, found.copied(each)));
    }
    store.write(
        connection -> {
          connection.insert(objects);
          return null;
        });
    return made;
  }

  @Override
  public MetadataObject update(long id, int base, Map<String, Object> changes)
      throws MetadataException {
    MetadataObject next =
        control.update(List.of(id), connection -> insertNext(connection, id, base, changes));
    return cache.keep(next);
  }

  /** Makes the next version; nobody else must have made it since the caller read. */
  private MetadataObject insertNext(
      StoreConnection connection, long id, int base, Map<String, Object> changes)
      throws SQLException, MetadataException {
    MetadataObject last = last(connection, id);
    if (last == null) {
      throw missing(id);
    }
    if (last.version() != base) {
      throw new MetadataException(
          Reason.CONFLICT,
          "object " + id + " is in version " + last.version() + ", no longer in " + base);
    }
    MetadataObject next =
        new MetadataObject(id, base + 1, last.type(), last.type().changed(last.values(), changes));
    connection.insert(List.of(next));
    return next;
  }

  private MetadataObject last(StoreConnection connection, long id)
      throws SQLException, MetadataException {
    if (!cache.keepsObjects()) {
      return connection.last(id, cache::type);
    }
    int version = connection.lastVersion(id);
    MetadataObject kept = cache.version(id, version);
    return kept != null || version == 0 ? kept : connection.version(id, version, cache::type);
  }

  @Override
  public MetadataObject get(long id) throws MetadataException {
    MetadataObject object = store.read(connection -> last(connection, id));
    if (object == null) {
      throw missing(id);
    }
    return cache.keep(object);
  }

  private static MetadataException missing(long id) {
    return new MetadataException(Reason.NOT_FOUND, "there is no object " + id);
  }

  @Override
  public MetadataObject get(long id, int version) throws MetadataException {
    MetadataObject kept = cache.version(id, version);
    MetadataObject object =
        kept != null
            ? kept
            : store.read(connection -> connection.version(id, version, cache::type));
    if (object == null) {
      throw new MetadataException(
          Reason.NOT_FOUND, "there is no version " + version + " of object " + id);
    }
    return cache.keep(object);
  }

  @Override
  public List<MetadataObject> getAll(List<Long> wanted) throws MetadataException {
    if (wanted.size() > Limits.BATCH) {
      throw MetadataException.invalid("at most " + Limits.BATCH + " objects are told at once");
    }
    return store.read(connection -> connection.lasts(wanted, cache::type));
  }

  /**
   * Versions of objects, identifiers rising; for programs that check stores. All ends are included.
   *
   * @param first least identifier
   * @param last greatest identifier
   * @param from least version
   * @param to greatest version
   */
  public List<MetadataObject> range(long first, long last, int from, int to)
      throws MetadataException {
    return store.read(connection -> connection.range(first, last, from, to, cache::type));
  }

  /** The greatest version of objects from one identifier to another; 0 where there is none. */
  public int lastVersion(long first, long last) throws MetadataException {
    return store.read(connection -> connection.lastVersion(first, last));
  }

  /** The greatest identifier of any object; 0 where there is none. */
  public long lastId() throws MetadataException {
    return store.read(StoreConnection::lastId);
  }

  @Override
  public void link(Link link) throws MetadataException {
    Limits.name("link", link.name());
    store.write(
        connection -> {
          for (long end : new long[] {link.source(), link.target()}) {
            if (connection.lastVersion(end) == 0) {
              throw missing(end);
            }
          }
          connection.link(link);
          return null;
        });
  }

  @Override
  public List<Link> links(long id, boolean incoming, String name, int limit)
      throws MetadataException {
    int most = limit(limit);
    return store.read(connection -> connection.links(id, incoming, name, most));
  }

  private static int limit(int limit) throws MetadataException {
    if (limit < 1 || limit > Limits.FOUND) {
      throw MetadataException.invalid("limit is 1 to " + Limits.FOUND + ", not " + limit);
    }
    return limit;
  }

  @Override
  public List<Long> discover(Discovery discovery) throws MetadataException {
    int most = limit(discovery.limit());
    ObjectType type = type(discovery.type());
    if (discovery.attribute() == null) {
      return store.read(connection -> connection.ofType(type.id(), most));
    }
    int place = type.place(discovery.attribute());
    Attribute attribute = type.attributes().get(place);
    if (!attribute.indexed()) {
      throw MetadataException.invalid(
          "attribute " + attribute.name() + " of type " + type.name() + " is not indexed");
    }
    String from = stored(attribute, discovery.from());
    String to = stored(attribute, discovery.to());
    return store.read(connection -> connection.withValue(type.id(), place, from, to, most));
  }

  private static String stored(Attribute attribute, Object value) throws MetadataException {
    return value == null ? null : attribute.type().encode(attribute.checked(value));
  }

  @Override
  public long submit(List<Change> group) throws MetadataException {
    if (group.isEmpty() || group.size() > Limits.BATCH) {
      throw MetadataException.invalid("a group has 1 to " + Limits.BATCH + " changes");
    }
    return groups.submit(group);
  }

  @Override
  public List<Changed> await(long ticket, long millis) throws MetadataException {
    return groups.await(ticket, millis);
  }

  private List<Changed> change(List<Change> group) throws MetadataException {
    List<MetadataObject> created = new ArrayList<>();
    List<Long> updated = new ArrayList<>();
    for (Change change : group) {
      if (change instanceof Change.Create create) {
        created.add(made(create.type(), create.values(), ids.next()));
      } else if (change instanceof Change.Update update) {
        updated.add(update.id());
      }
    }
    ObjectStore.Work<List<Changed>> work = connection -> changed(connection, group, created);
    return updated.isEmpty() ? store.write(work) : control.update(updated, work);
  }

  private List<Changed> changed(
      StoreConnection connection, List<Change> group, List<MetadataObject> created)
      throws SQLException, MetadataException {
    List<Changed> all = new ArrayList<>();
    int next = 0;
    for (Change change : group) {
      if (change instanceof Change.Update update) {
        MetadataObject made = insertNext(connection, update.id(), update.base(), update.changes());
        all.add(new Changed(made.id(), made.version()));
      } else {
        all.add(new Changed(created.get(next++).id(), 1));
      }
    }
    connection.insert(created);
    return all;
  }

  @Override
  public void close() {
    groups.close();
    control.close();
    store.close();
  }
}
