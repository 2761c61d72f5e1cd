/**
 * How a query ends that a server under test evaluates: for the servers that this project builds.
 */
package org.modelstress.queries;
