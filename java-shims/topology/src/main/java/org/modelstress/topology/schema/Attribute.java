package org.modelstress.topology.schema;

/**
 * An attribute of a type of data objects.
 *
 * @param name of the attribute, and of its column
 * @param type of its values
 * @param target name of the type that a reference leads to; null for other types
 * @param indexed whether objects are often asked for by it: stores have an index of it
 */
public record Attribute(String name, ValueType type, String target, boolean indexed) {}
