package org.modelstress.hawk.query;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.eclipse.emf.ecore.EEnum;
import org.eclipse.emf.ecore.EEnumLiteral;
import org.eclipse.emf.ecore.EPackage;
import org.modelstress.hawk.catalog.Catalog;

/**
 * What names of types and enumerations in a query mean: {@code Type}, {@code package::Type} or
 * {@code metamodelURI::Type}.
 *
 * @param namespaces namespace URIs that decide when several metamodels have the name
 */
public record TypeNames(Catalog catalog, List<String> namespaces) {
  /** A name that stands for several things; the message is one sentence. */
  public static final class AmbiguousNameException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    AmbiguousNameException(String name, List<EPackage> owners) {
      super(
          "'"
              + name
              + "' is in several metamodels ("
              + owners.stream().map(EPackage::getNsURI).collect(Collectors.joining(", "))
              + "): write it as package::"
              + name
              + " or give a default namespace");
    }
  }

  /**
   * The type of a name, or null.
   *
   * @throws AmbiguousNameException if it is in several metamodels
   */
  public Catalog.Type type(String name) {
    String simple = simple(name);
    List<Catalog.Type> found =
        catalog.named(simple).stream().filter(t -> isIn(name, t.eClass().getEPackage())).toList();
    return one(
        simple, found, found.stream().map(t -> t.eClass().getEPackage()).distinct().toList());
  }

  /**
   * The text that stands for an enumeration's literal in the graph, or null if there is none.
   *
   * @throws AmbiguousNameException if the enumeration is in several metamodels
   */
  public String literal(String enumeration, String label) {
    String simple = simple(enumeration);
    List<EEnumLiteral> found = new ArrayList<>();
    List<EPackage> owners = new ArrayList<>();
    for (EPackage metamodel : packages(catalog.metamodels())) {
      if (isIn(enumeration, metamodel)
          && metamodel.getEClassifier(simple) instanceof EEnum eEnum
          && literal(eEnum, label) != null) {
        found.add(literal(eEnum, label));
        owners.add(metamodel);
      }
    }
    EEnumLiteral literal = one(simple, found, owners);
    return literal == null ? null : literal.getName();
  }

  private static List<EPackage> packages(List<EPackage> outer) {
    List<EPackage> all = new ArrayList<>(outer);
    outer.forEach(each -> all.addAll(packages(each.getESubpackages())));
    return all;
  }

  private static EEnumLiteral literal(EEnum eEnum, String label) {
    EEnumLiteral byName = eEnum.getEEnumLiteral(label);
    return byName == null ? eEnum.getEEnumLiteralByLiteral(label) : byName;
  }

  private <T> T one(String name, List<T> found, List<EPackage> owners) {
    if (found.size() <= 1) {
      return found.isEmpty() ? null : found.get(0);
    }
    for (String namespace : namespaces) {
      for (int i = 0; i < found.size(); i++) {
        if (owners.get(i).getNsURI().equals(namespace)) {
          return found.get(i);
        }
      }
    }
    throw new AmbiguousNameException(name, owners);
  }

  private static String simple(String name) {
    int separator = name.lastIndexOf("::");
    return separator < 0 ? name : name.substring(separator + 2);
  }

  private static boolean isIn(String name, EPackage metamodel) {
    int separator = name.lastIndexOf("::");
    if (separator < 0) {
      return true;
    }
    String owner = name.substring(0, separator);
    return owner.equals(metamodel.getName())
        || owner.equals(metamodel.getNsURI())
        || owner.equals(metamodel.getNsPrefix());
  }
}
