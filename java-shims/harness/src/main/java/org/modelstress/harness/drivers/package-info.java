/** Drivers without a tool behind them, to test and to measure the harness itself. */
package org.modelstress.harness.drivers;
