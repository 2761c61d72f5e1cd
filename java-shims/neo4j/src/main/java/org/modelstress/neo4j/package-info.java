/**
 * The Neo4j server as a tool: a model as a property graph, queried in Cypher over Bolt and HTTP.
 * {@link org.modelstress.neo4j.Neo4jServer} starts the Community Edition, {@link
 * org.modelstress.neo4j.GraphLoader} fills it, {@link org.modelstress.neo4j.Neo4jDriver} asks it.
 */
package org.modelstress.neo4j;
