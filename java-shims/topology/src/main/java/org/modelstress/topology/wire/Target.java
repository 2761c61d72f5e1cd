package org.modelstress.topology.wire;

import java.io.Serializable;

/**
 * The objects of a domain in a store, which a request is about.
 *
 * @param domain code of the domain
 * @param store number of the store
 */
public record Target(int domain, int store) implements Serializable {}
