/**
 * A metadata service after "Preliminary Performance Analysis of the NEES Metadata Service"
 * (NEESgrid 2003-11): typed metadata objects whose versions are immutable, links between them, and
 * discovery, on relational databases ({@code docs/tools/metadata.md}).
 */
package org.modelstress.metadata;
