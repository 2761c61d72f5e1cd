package org.modelstress.metadata.service;

import com.github.benmanes.caffeine.cache.Caffeine;
import java.sql.SQLException;
import java.time.Duration;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataObject;
import org.modelstress.metadata.objects.ObjectType;
import org.modelstress.metadata.store.NewType;
import org.modelstress.metadata.store.StoreConnection;

/**
 * What a service remembers: nothing, types (the report's "allowed to be cached", 4.1), or versions
 * of objects, too. Versions never change; which one is the last is always asked.
 */
final class Cache {
  private static final long TYPES = 10_000;
  private static final Duration NAMES = Duration.ofSeconds(10); // others define types, too

  private record Key(long id, int version) {}

  private final boolean keepsTypes;
  private final com.github.benmanes.caffeine.cache.Cache<Key, ObjectType> types;
  private final com.github.benmanes.caffeine.cache.Cache<String, ObjectType> names;
  private final com.github.benmanes.caffeine.cache.Cache<Key, MetadataObject> objects;

  /**
   * A cache.
   *
   * @throws IllegalArgumentException where there is none of the word
   */
  Cache(String word, int size) {
    boolean keepsObjects = word.equals("objects");
    this.keepsTypes = keepsObjects || word.equals("types");
    if (!keepsTypes && !word.equals("none")) {
      throw new IllegalArgumentException("cache: is " + word + "; it is none, types or objects");
    }
    this.types = Caffeine.newBuilder().maximumSize(TYPES).build();
    this.names = Caffeine.newBuilder().maximumSize(TYPES).expireAfterWrite(NAMES).build();
    this.objects = keepsObjects ? Caffeine.newBuilder().maximumSize(size).build() : null;
  }

  /** Type of an object. */
  ObjectType type(StoreConnection connection, long id, int version)
      throws SQLException, MetadataException {
    if (id == ObjectType.TYPE_ID) {
      return ObjectType.TYPE;
    }
    ObjectType known = keepsTypes ? types.getIfPresent(new Key(id, version)) : null;
    if (known != null) {
      return known;
    }
    MetadataObject object = connection.version(id, version, this::type);
    if (object == null) {
      throw new MetadataException(
          MetadataException.Reason.FAILED, "type " + id + " in version " + version + " is lost");
    }
    return keep(NewType.of(object));
  }

  /** The last version of the type of a name; null where there is none. */
  ObjectType type(StoreConnection connection, String name) throws SQLException, MetadataException {
    ObjectType known = keepsTypes ? names.getIfPresent(name) : null;
    if (known != null) {
      return known;
    }
    long id = connection.typeId(name);
    MetadataObject object = id == 0 ? null : connection.last(id, this::type);
    if (object == null) {
      return null;
    }
    ObjectType type = keep(NewType.of(object));
    if (keepsTypes) {
      names.put(name, type);
    }
    return type;
  }

  /** The type of a name without asking the store; null where it is not known. */
  ObjectType known(String name) {
    return keepsTypes ? names.getIfPresent(name) : null;
  }

  private ObjectType keep(ObjectType type) {
    if (keepsTypes) {
      types.put(new Key(type.id(), type.version()), type);
    }
    return type;
  }

  /** Forgets which version of a type is the last. */
  void defined(String name) {
    names.invalidate(name);
  }

  /** Whether versions of objects are kept. */
  boolean keepsObjects() {
    return objects != null;
  }

  /** A version that is kept; null where it is not. */
  MetadataObject version(long id, int version) {
    return objects == null ? null : objects.getIfPresent(new Key(id, version));
  }

  /** Keeps a version that is in the store. */
  MetadataObject keep(MetadataObject object) {
    if (objects != null) {
      objects.put(new Key(object.id(), object.version()), object);
    }
    return object;
  }
}
