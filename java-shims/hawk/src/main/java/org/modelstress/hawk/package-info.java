/**
 * A model index with the design of Hawk (DESIGN.md §6, "Hawk graph", "Hawk Thrift API"), this
 * project's implementation. A package imports only from those before it: {@code graph}, {@code
 * catalog}, {@code query}, {@code index}, {@code server}; {@code driver} stands alone.
 */
package org.modelstress.hawk;
