package org.modelstress.metadata.service;

/**
 * How a service works; all of them are factors of the study.
 *
 * @param control {@code service-lock}, {@code object-locks}, {@code transactions} or {@code queue}
 * @param cache {@code none}, {@code types} or {@code objects}
 * @param cachedObjects how many versions of objects are kept where they are
 * @param timeoutMillis how long a call waits for others
 */
public record Configuration(String control, String cache, int cachedObjects, long timeoutMillis) {}
