/**
 * The MSSF container, the sample file and the identifier file in it, and the digest of a result:
 * the formats of {@code docs/contracts.md}, and nothing else.
 */
package org.modelstress.harness.samples;
