package org.modelstress.harness.spi;

import java.util.Map;

/**
 * One thing to execute.
 *
 * @param name operation name from the workload, such as {@code PosLength}
 * @param text query text, or null
 * @param parameters what else the operation needs (for queries: {@code language}, {@code tuple})
 * @param sequence number of this execution within its phase
 */
public record Operation(String name, String text, Map<String, Object> parameters, long sequence) {}
