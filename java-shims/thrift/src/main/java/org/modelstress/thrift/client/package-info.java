/** Sends requests of Hawk's Thrift API over TCP and HTTP, as a driver of the harness. */
package org.modelstress.thrift.client;
