package org.modelstress.topology.config;

import java.util.List;
import java.util.Set;

/**
 * The configuration of one object manager, or of many that are alike but for their numbers.
 *
 * @param name in the configuration file, and of its process
 * @param firstId its number, by which its objects are told from those of others
 * @param lastId of the last of those that are alike; {@code firstId} of a single one
 * @param application whose stores are all that it knows of; null: it knows of all
 * @param links to servers and stores; several to the same parts are a mesh
 * @param exports what clients may ask of it
 * @param listeners protocols by which clients reach it
 * @param workers threads that work on requests
 * @param queue requests that may wait for a worker
 * @param cached objects that its cache keeps at most
 */
public record ManagerConfig(
    String name,
    int firstId,
    int lastId,
    String application,
    List<Link> links,
    Set<Part> exports,
    Set<Link.Adapter> listeners,
    int workers,
    int queue,
    int cached) {
  /** Whether it has no clients: it is an application's, and many may be alike. */
  public boolean isClient() {
    return listeners.isEmpty();
  }

  /** Whether a link or mesh imports a part. */
  public boolean imports(Part part) {
    return links.stream().anyMatch(link -> link.imports().contains(part));
  }
}
