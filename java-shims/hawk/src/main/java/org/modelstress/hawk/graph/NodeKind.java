package org.modelstress.hawk.graph;

/** What a node of the index stands for. */
public enum NodeKind {
  /** A package of a metamodel. */
  METAMODEL,
  /** A class of a metamodel. */
  TYPE,
  /** An indexed model file. */
  FILE,
  /** A model element. */
  ELEMENT,
  /** The value of a derived attribute of one element. */
  DERIVED,
  /** The declaration of a derived or indexed attribute. */
  DECLARATION
}
