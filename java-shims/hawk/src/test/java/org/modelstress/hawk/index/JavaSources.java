package org.modelstress.hawk.index;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.modelstress.models.ModelException;
import org.modelstress.models.jdt.JdtExtractor;

/** A small Java program that can be edited at random, as a model of JDT's metamodel. */
final class JavaSources {
  /** What a type can have; {@code @} stands for its name. */
  private static final List<String> MEMBERS =
      List.of(
          "public static @ getInstance() { return null; }",
          "static public final @ of(int n) { return n > 0 ? null : of(n + 1); }",
          "private static @ hidden() { return null; }",
          "public @ self() { return this; }",
          "public static @<String> generic() { return null; }",
          "public static @[] several() { return null; }",
          "public static p.@ qualified() { return null; }",
          "public static String text() { return \"@\"; }",
          "/** Does nothing. @see @ */ void nothing() { }",
          "static class In@ { public static In@ get() { return null; } @ outer; }",
          "static class Plain@ { public static @ other() { return null; } }",
          "interface If@ { public static If@ get() { return null; } int size(); }",
          "enum En@ { A, B; public static En@ first() { return A; } }",
          "@interface An@ { int value() default 1; class Held { public static Held get() { return null; } } }",
          "record Re@(int x) { public static Re@ zero() { return new Re@(0); } }",
          "int field = 3;");

  /** One compilation unit with one type. */
  private static final class Unit {
    final String name;
    final String kind;
    final List<String> members = new ArrayList<>();

    Unit(String name, String kind) {
      this.name = name;
      this.kind = kind;
    }

    String text() {
      String begin = kind.equals("enum") ? "ONE, TWO;" : "";
      StringBuilder text = new StringBuilder("package p;\n\nimport java.util.List;\n\n");
      text.append("public ").append(kind).append(' ').append(name).append(" {").append(begin);
      members.forEach(member -> text.append("\n  ").append(member));
      return text.append("\n}\n").toString();
    }
  }

  private final Map<String, Unit> units = new TreeMap<>();
  private final Random random;
  private int names;

  private JavaSources(Random random) {
    this.random = random;
  }

  /** A class, an interface, an enum and an annotation type with members of every kind. */
  static JavaSources withEverything() {
    JavaSources sources = new JavaSources(new Random(1));
    for (String kind : List.of("class", "interface", "enum", "@interface")) {
      Unit unit = sources.newUnit(kind);
      for (String member : MEMBERS) {
        if (kind.equals("class") || !member.contains("self()")) {
          unit.members.add(fill(member, unit.name));
        }
      }
    }
    return sources;
  }

  /** Some classes with a few members each. */
  static JavaSources random(long seed) {
    JavaSources sources = new JavaSources(new Random(seed));
    for (int i = 0; i < 5; i++) {
      Unit unit = sources.newUnit("class");
      for (int m = 0; m < 4; m++) {
        unit.members.add(sources.newMember(unit));
      }
    }
    return sources;
  }

  private Unit newUnit(String kind) {
    Unit unit = new Unit("T" + names++, kind);
    units.put(unit.name, unit);
    return unit;
  }

  private String newMember(Unit unit) {
    return fill(MEMBERS.get(random.nextInt(MEMBERS.size())), unit.name);
  }

  /** The placeholder but not the sign of annotation types and documentation. */
  private static String fill(String member, String name) {
    return member.replaceAll("@(?!interface|see)", name);
  }

  private Unit anyUnit() {
    List<Unit> all = List.copyOf(units.values());
    return all.get(random.nextInt(all.size()));
  }

  /** Changes something; says what. */
  String edit() {
    Unit unit = anyUnit();
    int at = unit.members.isEmpty() ? 0 : random.nextInt(unit.members.size());
    switch (random.nextInt(8)) {
      case 0, 1:
        unit.members.add(at, newMember(unit));
        return "a member in " + unit.name;
      case 2:
        if (!unit.members.isEmpty()) {
          unit.members.remove(at);
        }
        return "a member less in " + unit.name;
      case 3:
        unit.members.replaceAll(m -> m.replace("getInstance", "instance" + names));
        return "renamed in " + unit.name;
      case 4:
        toggleSingleton(unit);
        return "singleton or not, " + unit.name;
      case 5:
        return "a unit, " + addUnit();
      case 6:
        if (units.size() > 2) {
          units.remove(unit.name);
        }
        return "a unit less, " + unit.name;
      default:
        unit.members.replaceAll(m -> m.replace("private static", "public static"));
        return "made public in " + unit.name;
    }
  }

  /** Adds a unit with one member. */
  String addUnit() {
    Unit unit = newUnit("class");
    unit.members.add(newMember(unit));
    return unit.name;
  }

  /** Adds a member to the first unit that makes it a singleton, or takes those away. */
  void toggleSingleton() {
    toggleSingleton(units.values().iterator().next());
  }

  private void toggleSingleton(Unit unit) {
    String getter = fill(MEMBERS.get(0), unit.name);
    if (!unit.members.removeIf(getter::equals)) {
      unit.members.add(getter);
    }
  }

  /**
   * Extracts the model, replacing an earlier one in this folder.
   *
   * @return the {@code model.json}
   */
  Path extract(Path folder, JdtExtractor.Split split) throws ModelException, IOException {
    Files.createDirectories(folder);
    Path jar = folder.resolve("program.jar");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
      for (Unit unit : units.values()) {
        zip.putNextEntry(new ZipEntry("p/" + unit.name + ".java"));
        zip.write(unit.text().getBytes(StandardCharsets.UTF_8));
        zip.closeEntry();
      }
    }
    JdtExtractor.extract(List.of(jar), split, folder.resolve("model"), (done, total) -> {});
    return folder.resolve("model").resolve("model.json");
  }
}
