/**
 * Database servers as nodes of a study: programs that come with the project are started, stopped,
 * packed and unpacked here; nothing in this package knows what the databases are for.
 */
package org.modelstress.databases;
