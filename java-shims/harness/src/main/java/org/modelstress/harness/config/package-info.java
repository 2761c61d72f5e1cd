/** Reading the JSON files that the programs are given, with messages for people. */
package org.modelstress.harness.config;
