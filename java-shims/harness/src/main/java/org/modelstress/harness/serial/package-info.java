/** What Java's deserialisation may make of bytes that a peer sends. */
package org.modelstress.harness.serial;
