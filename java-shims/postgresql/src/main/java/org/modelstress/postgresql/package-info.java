/**
 * A bare relational database as a tool, the baseline of model stores: {@link
 * org.modelstress.postgresql.RelationalModel} puts a model into tables, {@link
 * org.modelstress.postgresql.PostgresqlServer} starts a server on them, and {@link
 * org.modelstress.postgresql.PostgresqlDriver} sends SQL over PostgreSQL's own wire protocol.
 */
package org.modelstress.postgresql;
