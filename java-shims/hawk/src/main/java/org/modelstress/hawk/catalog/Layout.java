package org.modelstress.hawk.catalog;

import org.eclipse.emf.ecore.EReference;

/**
 * Names of edges and properties in the graph (DESIGN.md §6, "Hawk graph"). Edges of references have
 * a prefix that tells containment, so no reference of a metamodel can be taken for one of ours.
 */
public final class Layout {
  /** Element to its exact type. */
  public static final String OF_TYPE = "ofType";

  /** Element to its type and to each of that type's supertypes. */
  public static final String OF_KIND = "ofKind";

  /** Element to the file it was read from. */
  public static final String IN_FILE = "inFile";

  /** Type to its metamodel. */
  public static final String IN_METAMODEL = "inMetamodel";

  /** Type to each direct supertype. */
  public static final String SUPERTYPE = "supertype";

  /** Derived-attribute node to each element or type whose state its computation read. */
  public static final String READS = "reads";

  /** Property of metamodels: namespace URI. Of types: that of their metamodel. */
  public static final String NS_URI = "nsURI";

  /** Property of metamodels: the package as XMI text. */
  public static final String ECORE = "ecore";

  /** Property of types and derived-attribute nodes: name of the class or attribute. */
  public static final String NAME = "name";

  /** Property of files: where the model was read from. */
  public static final String PATH = "path";

  /** Property of files of a model of several: where the {@code model.json} is that names it. */
  public static final String DESCRIPTION = "description";

  /** Property of files: number of elements in it that no other element of it contains. */
  public static final String TOPMOST = "topmost";

  /** Property of files: SHA-256 of the model file, hexadecimal. */
  public static final String SHA256 = "sha256";

  /** Property of derived-attribute nodes: the value, absent when undefined. */
  public static final String VALUE = "value";

  /** Property of derived-attribute nodes: names of the features its computation read, by commas. */
  public static final String FEATURES = "features";

  /** Property of derived-attribute nodes: why the computation failed, absent when it did not. */
  public static final String FAILURE = "failure";

  /** Property of elements whose file gives them an identifier: that {@code xmi:id}. */
  public static final String XMI_ID = "xmi:id";

  /** Property of declarations: the declaration as JSON. */
  public static final String JSON = "json";

  /** Property of declarations of derived attributes: number of elements without a value. */
  public static final String UNDEFINED = "undefined";

  private Layout() {}

  /** Label of a reference's edges; {@code c:} marks containment. */
  public static String label(EReference reference) {
    return (reference.isContainment() ? "c:" : "r:") + reference.getName();
  }

  /** Label of the edge from an element to the node of a derived attribute. */
  public static String derived(String attribute) {
    return "d:" + attribute;
  }
}
