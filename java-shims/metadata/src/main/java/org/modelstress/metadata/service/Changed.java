package org.modelstress.metadata.service;

/** A version that a change made. */
public record Changed(long id, int version) {}
