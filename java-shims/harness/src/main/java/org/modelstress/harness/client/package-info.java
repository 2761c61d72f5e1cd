/**
 * The load generator. In the order of things: a {@link org.modelstress.harness.client.Workload} is
 * read, the {@link org.modelstress.harness.client.Conversation} with the controller asks a {@link
 * org.modelstress.harness.client.LoadGenerator} for stages (warm-up, measured window), in which
 * each {@link org.modelstress.harness.client.Worker} thread draws tickets from its {@link
 * org.modelstress.harness.client.Stage}, executes and hands samples to a {@link
 * org.modelstress.harness.client.Recorder}, watched by a {@link
 * org.modelstress.harness.client.Watchdog}.
 */
package org.modelstress.harness.client;
