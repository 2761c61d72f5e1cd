/** Answers requests of Hawk's Thrift API over TCP and HTTP, in front of any service. */
package org.modelstress.thrift.server;
