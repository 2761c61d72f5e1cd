package org.modelstress.metadata.service;

import java.util.List;
import java.util.Map;
import org.modelstress.metadata.objects.Attribute;
import org.modelstress.metadata.objects.Discovery;
import org.modelstress.metadata.objects.Link;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataObject;
import org.modelstress.metadata.objects.ObjectType;

/**
 * The interface of applications, the same in their own process ({@link LocalService}) and over the
 * web. Every call that changes something is one transaction: it happens or not.
 */
public interface MetadataService extends AutoCloseable {
  /**
   * Defines a type, or a new version of it with more attributes at the end.
   *
   * @throws MetadataException INVALID where there is a type of the name with other attributes
   */
  ObjectType define(String name, List<Attribute> attributes) throws MetadataException;

  /**
   * The last version of a type.
   *
   * @throws MetadataException NOT_FOUND where there is none
   */
  ObjectType type(String name) throws MetadataException;

  /** Names of all types. */
  List<String> types() throws MetadataException;

  /**
   * Creates an object: looks the type up and copies it selectively (the report's 4.1).
   *
   * @param values by names of attributes; others have the type's defaults
   */
  MetadataObject create(String type, Map<String, Object> values) throws MetadataException;

  /**
   * Creates many objects in one transaction.
   *
   * @return identifiers in the order of the values
   */
  List<Long> createAll(String type, List<Map<String, Object>> values) throws MetadataException;

  /**
   * Makes the next version of an object.
   *
   * @param base version that the caller knows and that is the last one
   * @param changes values by names of attributes; others stay as they are
   * @throws MetadataException CONFLICT where there is a later version than {@code base}
   */
  MetadataObject update(long id, int base, Map<String, Object> changes) throws MetadataException;

  /**
   * The last version of an object.
   *
   * @throws MetadataException NOT_FOUND where there is none
   */
  MetadataObject get(long id) throws MetadataException;

  /**
   * A version of an object.
   *
   * @throws MetadataException NOT_FOUND where there is none
   */
  MetadataObject get(long id, int version) throws MetadataException;

  /** Last versions of those objects that are there, identifiers rising. */
  List<MetadataObject> getAll(List<Long> ids) throws MetadataException;

  /**
   * Makes a link; nothing where it is there.
   *
   * @throws MetadataException NOT_FOUND where an end of it is not there
   */
  void link(Link link) throws MetadataException;

  /**
   * Links of an object.
   *
   * @param incoming those that lead to it, else those that begin there
   * @param name of the links; null: all
   */
  List<Link> links(long id, boolean incoming, String name, int limit) throws MetadataException;

  /** Identifiers of the objects that are asked for. */
  List<Long> discover(Discovery discovery) throws MetadataException;

  /**
   * Hands over a group of changes, all of which happen or none; does not wait for it.
   *
   * @return a ticket for {@link #await}
   * @throws MetadataException BUSY where too many groups are waiting
   */
  long submit(List<Change> group) throws MetadataException;

  /**
   * Waits until a group has ended, and tells once how.
   *
   * @param millis how long at most
   * @return what became of each change; null where the group has not ended
   * @throws MetadataException of the change because of which none happened; NOT_FOUND where the
   *     ticket is unknown, or was told or forgotten
   */
  List<Changed> await(long ticket, long millis) throws MetadataException;

  @Override
  void close();
}
