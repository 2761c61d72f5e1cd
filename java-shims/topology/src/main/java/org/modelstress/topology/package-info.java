/**
 * Object managers whose process topology is configuration only, after chapter 7 of "Free Data
 * Objects": applications see transactions on typed data objects; tiers, replication, distribution
 * and the stores behind them are in a configuration file ({@code docs/tools/topology.md}).
 */
package org.modelstress.topology;
