package org.modelstress.mogwai.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.emf.ecore.EObject;
import org.modelstress.models.Metamodels;
import org.modelstress.models.ModelSource;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;

/** A process of its own that loads or opens; for tests that kill it, limit it or wait for it. */
final class StoreProgram {
  private static final int SIZE = 2;

  private StoreProgram() {}

  /** {@code (load|stall|hold|visit) FOLDER}. */
  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[1]);
    switch (args[0]) {
      case "load" -> load(folder, false);
      case "stall" -> load(folder, true);
      case "hold" -> hold(folder);
      case "visit" -> open(folder).close(); // and then ends, if nothing keeps it
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  static EObject model() {
    return TrainGenerator.generate(
        Line.LINE_2016, Scenario.REPAIR, SIZE, TrainGenerator.DEFAULT_SEED);
  }

  static ModelSource source(EObject root) {
    return new ModelSource(List.of(root), Metamodels.registry(), List.of(), "hash");
  }

  static void load(Path folder, boolean stalls) throws Exception {
    try {
      new StoreFolder(folder)
          .load(
              source(model()),
              (done, total) -> {
                if (stalls) {
                  say("loading");
                  await();
                }
              });
      say("loaded");
    } catch (StoreException | IOException e) {
      say(e.getMessage());
      System.exit(6);
    }
  }

  private static void hold(Path folder) {
    NeoEmfGraph graph = open(folder);
    say("open");
    await();
    graph.close();
  }

  private static NeoEmfGraph open(Path folder) {
    return NeoEmfGraph.open(folder, Metamodels.registry(), StoreOptions.DEFAULT);
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }

  /** Until the parent closes the pipe, which it does when it ends. */
  private static void await() {
    try {
      while (System.in.read() >= 0) {
        continue;
      }
    } catch (IOException e) {
      System.exit(1);
    }
  }

  /** Starts the program; {@code prefix} is put before the command. */
  static Process start(List<String> prefix, String command, Path folder) throws IOException {
    List<String> words = new ArrayList<>(prefix);
    words.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            StoreProgram.class.getName(),
            command,
            folder.toString()));
    return new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.DISCARD).start();
  }
}
