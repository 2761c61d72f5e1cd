package org.modelstress.thrift.results;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.thrift.results.ElementSource.Attribute;
import org.modelstress.thrift.results.ElementSource.Feature;
import org.modelstress.thrift.results.ElementSource.Reference;

/**
 * What of an element of one class is sent, by the options of a query and its effective metamodel.
 *
 * @param included whether elements of the class are sent at all
 * @param references those sent as identifiers or positions
 * @param containments those whose targets are sent in full
 */
record TypePlan<E>(
    boolean included,
    List<Attribute<E>> attributes,
    List<Reference<E>> references,
    List<Reference<E>> containments) {
  private static final String ALL = "*";

  static <E, T> TypePlan<E> of(ElementSource<E, T> source, T type, HawkQueryOptions options) {
    Rules rules = Rules.of(source.metamodel(type), source.name(type), options);
    TypePlan<E> plan =
        new TypePlan<>(rules.included(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    if (!rules.included() || isOnlyIdentifiers(options)) {
      return plan;
    }
    for (Feature<E> feature : source.features(type)) {
      if (rules.includes(feature.name())) {
        plan.add(feature, options);
      }
    }
    return plan;
  }

  /** Whether nothing of an element is asked for but that it is there. */
  static boolean isOnlyIdentifiers(HawkQueryOptions options) {
    return !options.isIncludeAttributes()
        && !options.isIncludeReferences()
        && !options.isIncludeContained();
  }

  /** Whether some elements or features may be left out. */
  static boolean isLimited(HawkQueryOptions options) {
    return Rules.isGiven(options.getEffectiveMetamodelIncludes())
        || Rules.isGiven(options.getEffectiveMetamodelExcludes());
  }

  private void add(Feature<E> feature, HawkQueryOptions options) {
    if (feature instanceof Attribute<E> attribute) {
      if (options.isIncludeAttributes() && (options.isIncludeDerived() || !attribute.derived())) {
        attributes.add(attribute);
      }
    } else if (feature instanceof Reference<E> reference) {
      if (reference.containment() && options.isIncludeContained()) {
        containments.add(reference);
      } else if (options.isIncludeReferences()) {
        references.add(reference);
      }
    }
  }

  /**
   * The effective metamodel for one class.
   *
   * @param included whether the class is in it
   * @param only features that are in it, null for all
   * @param never features that are not, null for none
   */
  private record Rules(boolean included, Set<String> only, Set<String> never) {
    static Rules of(String metamodel, String type, HawkQueryOptions options) {
      Set<String> only = features(options.getEffectiveMetamodelIncludes(), metamodel, type);
      Set<String> never = features(options.getEffectiveMetamodelExcludes(), metamodel, type);
      boolean limited = isGiven(options.getEffectiveMetamodelIncludes());
      boolean excluded = never != null && (never.isEmpty() || never.contains(ALL));
      return new Rules(!excluded && (!limited || only != null), limited ? only : null, never);
    }

    boolean includes(String feature) {
      return included
          && (only == null || only.contains(ALL) || only.contains(feature))
          && (never == null || !never.contains(feature));
    }

    static boolean isGiven(Map<?, ?> rules) {
      return rules != null && !rules.isEmpty();
    }

    /** What is said of a class, or of all classes of its metamodel; null for nothing. */
    private static Set<String> features(
        Map<String, Map<String, Set<String>>> rules, String metamodel, String type) {
      if (!isGiven(rules)) {
        return null;
      }
      Map<String, Set<String>> types = rules.get(metamodel);
      if (types == null) {
        return null;
      }
      return types.containsKey(type) ? types.get(type) : types.get(ALL);
    }
  }
}
