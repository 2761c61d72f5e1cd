package org.modelstress.models.eol;

import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.epsilon.eol.dom.Expression;
import org.eclipse.epsilon.eol.execute.context.IEolContext;
import org.eclipse.epsilon.eol.execute.introspection.java.ObjectMethod;
import org.eclipse.epsilon.eol.execute.operations.contributors.ReflectiveOperationContributor;
import org.eclipse.epsilon.eol.types.EolModelElementType;

/**
 * Java's own methods of values that queries may call, by name: what is not listed is not found. No
 * static method is, of which Integer and others have some that read the system's properties.
 */
public class ValueMethods extends ReflectiveOperationContributor {
  private static final Set<String> ANY = Set.of("equals", "hashCode", "toString", "compareTo");

  private static final Set<String> OF_TEXTS =
      Set.of(
          "charAt",
          "codePointAt",
          "compareToIgnoreCase",
          "concat",
          "contains",
          "contentEquals",
          "endsWith",
          "equalsIgnoreCase",
          "indexOf",
          "isBlank",
          "isEmpty",
          "lastIndexOf",
          "length",
          "matches",
          "regionMatches",
          "repeat",
          "replace",
          "replaceAll",
          "replaceFirst",
          "split",
          "startsWith",
          "strip",
          "stripLeading",
          "stripTrailing",
          "substring",
          "toLowerCase",
          "toUpperCase",
          "trim");

  private static final Set<String> OF_NUMBERS =
      Set.of(
          "byteValue",
          "doubleValue",
          "floatValue",
          "intValue",
          "isInfinite",
          "isNaN",
          "longValue",
          "shortValue");

  private static final Set<String> OF_BOOLEANS = Set.of("booleanValue");

  private static final Set<String> OF_COLLECTIONS =
      Set.of(
          "add",
          "addAll",
          "clear",
          "contains",
          "containsAll",
          "get",
          "indexOf",
          "isEmpty",
          "lastIndexOf",
          "remove",
          "removeAll",
          "retainAll",
          "set",
          "size",
          "subList");

  private static final Set<String> OF_MAPS =
      Set.of(
          "clear",
          "containsKey",
          "containsValue",
          "entrySet",
          "get",
          "getOrDefault",
          "isEmpty",
          "keySet",
          "put",
          "putAll",
          "putIfAbsent",
          "remove",
          "replace",
          "size",
          "values");

  private static final Set<String> OF_TYPES =
      Set.of(
          "all",
          "allInstances",
          "getAll",
          "getAllInstances",
          "getAllOfKind",
          "getAllOfType",
          "getName",
          "getTypeName",
          "isInstantiable",
          "isKind",
          "isType");

  @Override
  public boolean contributesTo(Object target) {
    return names(target) != null;
  }

  /** Names of the methods of a value beside those that all have; null where not even those are. */
  protected Set<String> names(Object target) {
    if (target instanceof String) {
      return OF_TEXTS;
    } else if (target instanceof Boolean) {
      return OF_BOOLEANS;
    } else if (target instanceof Collection) {
      return OF_COLLECTIONS;
    } else if (target instanceof Map) {
      return OF_MAPS;
    } else if (target instanceof EolModelElementType) {
      return OF_TYPES;
    }
    boolean number = target instanceof Number && target.getClass().getName().startsWith("java.");
    return number ? OF_NUMBERS : null;
  }

  @Override
  public ObjectMethod findContributedMethodForUnevaluatedParameters(
      Object target, String name, List<Expression> parameters, IEolContext context) {
    return null; // such methods take expressions, which values have none of
  }

  @Override
  public ObjectMethod findContributedMethodForEvaluatedParameters(
      Object target,
      String name,
      Object[] parameters,
      IEolContext context,
      boolean overrideContextTarget) {
    ObjectMethod found =
        super.findContributedMethodForEvaluatedParameters(
            target, name, parameters, context, overrideContextTarget);
    if (found == null || found.getMethod() == null) {
      return found;
    }
    String method = found.getMethod().getName();
    boolean listed = isOfAny(target, method) || names(target).contains(method);
    return listed && !Modifier.isStatic(found.getMethod().getModifiers()) ? found : null;
  }

  /** Whether this method is one that every value has, and this value too. */
  protected boolean isOfAny(Object target, String method) {
    return ANY.contains(method);
  }
}
