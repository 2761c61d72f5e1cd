/**
 * The tool {@code mogwai}: the real NeoEMF/Graph, and a compiler from OCL to Gremlin pipelines as
 * Mogwaï has one, behind a Thrift API. A package imports only from those before it: {@code store},
 * {@code gremlin}, {@code driver} (which stands alone), {@code server}.
 */
package org.modelstress.mogwai;
