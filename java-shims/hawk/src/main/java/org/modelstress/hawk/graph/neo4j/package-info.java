/** The graph in an embedded Neo4j. */
package org.modelstress.hawk.graph.neo4j;
