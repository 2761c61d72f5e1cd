/**
 * ArcadeDB's server as a tool: a model as a property graph, queried in Cypher over Bolt and HTTP.
 * {@link org.modelstress.arcadedb.ArcadedbServer} fills and starts it, {@link
 * org.modelstress.arcadedb.ArcadedbDriver} asks it.
 */
package org.modelstress.arcadedb;
