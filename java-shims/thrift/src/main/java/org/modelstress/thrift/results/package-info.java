/** Turns the results of a store's queries into those of Hawk's Thrift API. */
package org.modelstress.thrift.results;
