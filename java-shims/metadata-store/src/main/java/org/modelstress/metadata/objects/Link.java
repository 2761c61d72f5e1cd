package org.modelstress.metadata.objects;

/**
 * A link from one object to another; it holds for all their versions.
 *
 * @param source identifier of the object that it begins at
 * @param name what it means
 * @param target identifier of the object that it leads to
 */
public record Link(long source, String name, long target) {}
