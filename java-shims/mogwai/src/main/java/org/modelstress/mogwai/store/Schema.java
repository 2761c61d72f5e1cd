package org.modelstress.mogwai.store;

import org.eclipse.emf.ecore.EClass;

/**
 * NeoEMF/Graph 1.0.2's own layout of a database, as its {@code BlueprintsPersistenceBackend} and
 * {@code DirectWriteBlueprintsStore} write it.
 *
 * <ul>
 *   <li>An element is a vertex; {@link #ID} is NeoEMF's identifier, by which Neo4j's auto index
 *       finds it. Edges have such an identifier too (a UUID).
 *   <li>A metaclass is a vertex with {@link #NAME} and {@link #NS_URI}, its identifier {@code
 *       name@nsURI}, and an entry (name → vertex) in the index {@link #METACLASSES}. It is found by
 *       its simple name only. Each element has one edge {@link #INSTANCE_OF} to its own class;
 *       superclasses have no vertex.
 *   <li>A single-valued attribute is a property with the attribute's name and the value's string as
 *       value (an enumeration literal's is its {@code literal}, not its name); an unset one has
 *       none. A many-valued one has {@code name:size} (Integer) and {@code name:0}, {@code name:1},
 *       …
 *   <li>A reference is an edge with its name as label; a many-valued one's edges have {@link
 *       #POSITION} (Integer, from 0) and its vertex {@code name:size}.
 *   <li>A reference back to the container (the opposite of a containment reference) has no edge of
 *       its own. A contained element has one edge {@link #CONTAINER} to its container, with {@link
 *       #CONTAINING_FEATURE}.
 *   <li>The vertex {@link #ROOT}, an instance of Ecore's EObject, has edges {@link #CONTENTS} with
 *       positions to the roots of the model, and {@code eContents:size}.
 * </ul>
 */
public final class Schema {
  public static final String ID = "__id";
  public static final String NAME = "name";
  public static final String NS_URI = "nsURI";
  public static final String METACLASSES = "metaclasses";
  public static final String INSTANCE_OF = "kyanosInstanceOf";
  public static final String POSITION = "position";
  public static final String CONTAINER = "eContainer";
  public static final String CONTAINING_FEATURE = "containingFeature";
  public static final String CONTENTS = "eContents";
  public static final String ROOT = "ROOT";

  /** Name of the index of vertices by {@link #ID}; {@link #EDGE_INDEX} of edges. */
  static final String VERTEX_INDEX = "node_auto_index";

  static final String EDGE_INDEX = "relationship_auto_index";

  private static final String SIZE = ":size";

  private Schema() {}

  /** {@link #ID} of a metaclass. */
  static String classId(EClass eClass) {
    return eClass.getName() + '@' + eClass.getEPackage().getNsURI();
  }

  /** Property with the number of values of a many-valued feature. */
  public static String size(String feature) {
    return feature + SIZE;
  }

  /** Property with a value of a many-valued attribute, from 0. */
  public static String value(String attribute, int index) {
    return attribute + ':' + index;
  }
}
