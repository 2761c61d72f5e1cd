/**
 * EOL and EPL over the graph. A text is parsed by Epsilon; what {@code compiled} knows becomes a
 * program of ours, everything else is evaluated by Epsilon's interpreter ({@code epsilon}) on the
 * same graph; {@code lookup} finds what indices can answer, for both.
 */
package org.modelstress.hawk.query;
