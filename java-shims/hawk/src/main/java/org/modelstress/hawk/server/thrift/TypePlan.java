package org.modelstress.hawk.server.thrift;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.catalog.Catalog;

/**
 * What of an element of one type is sent, by the options of a query and its effective metamodel.
 *
 * @param included whether elements of the type are sent at all
 * @param references those sent as identifiers or positions
 * @param containments those whose targets are sent in full
 */
record TypePlan(
    boolean included,
    List<Catalog.Attribute> attributes,
    List<Catalog.Derived> derived,
    List<Catalog.Reference> references,
    List<Catalog.Reference> containments) {
  private static final String ALL = "*";

  static TypePlan of(Catalog.Type type, HawkQueryOptions options) {
    Rules rules = Rules.of(type, options);
    TypePlan plan =
        new TypePlan(
            rules.included(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>());
    for (Catalog.Feature feature : type.features().values()) {
      if (rules.includes(feature.name())) {
        plan.add(feature, options);
      }
    }
    return plan;
  }

  private void add(Catalog.Feature feature, HawkQueryOptions options) {
    if (feature instanceof Catalog.Attribute attribute) {
      if (options.isIncludeAttributes()) {
        attributes.add(attribute);
      }
    } else if (feature instanceof Catalog.Derived computed) {
      if (options.isIncludeAttributes() && options.isIncludeDerived()) {
        derived.add(computed);
      }
    } else if (feature instanceof Catalog.Reference reference) {
      if (reference.eReference().isContainment() && options.isIncludeContained()) {
        containments.add(reference);
      } else if (options.isIncludeReferences()) {
        references.add(reference);
      }
    }
  }

  /**
   * The effective metamodel for one type.
   *
   * @param included whether the type is in it
   * @param only features that are in it, null for all
   * @param never features that are not, null for none
   */
  private record Rules(boolean included, Set<String> only, Set<String> never) {
    static Rules of(Catalog.Type type, HawkQueryOptions options) {
      Set<String> only = features(options.getEffectiveMetamodelIncludes(), type);
      Set<String> never = features(options.getEffectiveMetamodelExcludes(), type);
      boolean limited = isGiven(options.getEffectiveMetamodelIncludes());
      boolean excluded = never != null && (never.isEmpty() || never.contains(ALL));
      return new Rules(!excluded && (!limited || only != null), limited ? only : null, never);
    }

    boolean includes(String feature) {
      return included
          && (only == null || only.contains(ALL) || only.contains(feature))
          && (never == null || !never.contains(feature));
    }

    private static boolean isGiven(Map<?, ?> rules) {
      return rules != null && !rules.isEmpty();
    }

    /** What is said of a type, or of all types of its metamodel; null for nothing. */
    private static Set<String> features(
        Map<String, Map<String, Set<String>>> rules, Catalog.Type type) {
      if (!isGiven(rules)) {
        return null;
      }
      Map<String, Set<String>> types = rules.get(type.eClass().getEPackage().getNsURI());
      if (types == null) {
        return null;
      }
      return types.containsKey(type.name()) ? types.get(type.name()) : types.get(ALL);
    }
  }
}
