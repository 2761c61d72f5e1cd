package org.modelstress.thrift.results;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.modelstress.hawk.api.AttributeSlot;
import org.modelstress.hawk.api.ContainerSlot;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.MixedReference;
import org.modelstress.hawk.api.ModelElement;
import org.modelstress.hawk.api.ReferenceSlot;
import org.modelstress.hawk.api.SlotValue;
import org.modelstress.queries.Cancellation;
import org.modelstress.thrift.results.ElementSource.Attribute;
import org.modelstress.thrift.results.ElementSource.Reference;
import org.modelstress.thrift.server.QueriesUnderWay;

/**
 * Turns model elements into Thrift's, for one answer. Repository, file, metamodel and type stand
 * only where they differ from the element before, in the order in which elements are written. A
 * reference is the target's identifier or, when identifiers are not asked for, its place in that
 * order if the target is in the answer.
 */
public final class ElementEncoder<E, T> {
  /** Clients read nested elements recursively; few stacks take much more. */
  private static final int DEEPEST = 500;

  private final ElementSource<E, T> source;
  private final HawkQueryOptions options;
  private final Map<T, TypePlan<E>> plans = new HashMap<>();
  private final boolean identifiersOnly;
  private final boolean bare;
  private final Cancellation cancellation = QueriesUnderWay.current();
  private Map<E, Integer> places;
  private int placed;
  private FileName lastFile;
  private T lastType;

  /** For one answer to a client with these options. */
  public ElementEncoder(ElementSource<E, T> source, HawkQueryOptions options) {
    this.source = source;
    this.options = options;
    identifiersOnly = TypePlan.isOnlyIdentifiers(options);
    bare = identifiersOnly && !source.describesIdentifiers() && !TypePlan.isLimited(options);
  }

  /** All elements, apart from those that are not in the effective metamodel. */
  public List<ModelElement> encodeAll(Collection<? extends E> elements) {
    if (needsPlaces()) {
      elements.forEach(this::place);
    }
    List<ModelElement> encoded = new ArrayList<>(elements.size());
    elements.forEach(element -> encoded.add(encode(element)));
    encoded.removeIf(Objects::isNull);
    return encoded;
  }

  /**
   * Those elements that none of the others will be sent in: all of them unless contained elements
   * are nested.
   */
  public List<E> topmost(Collection<? extends E> elements) {
    Set<E> nested = new HashSet<>();
    for (E element : elements) {
      for (Reference<E> reference : plan(source.type(element)).containments()) {
        nested.addAll(reference.targets().apply(element));
      }
    }
    List<E> topmost = new ArrayList<>(elements);
    topmost.removeIf(nested::contains);
    return topmost;
  }

  /** Whether places have to be known before the first element is encoded. */
  boolean needsPlaces() {
    return options.isIncludeReferences() && !options.isIncludeNodeIDs();
  }

  /** Says that an element and what it contains will be encoded next; in the order of encoding. */
  void place(E element) {
    if (places == null) {
      places = new HashMap<>();
    }
    place(element, 0);
  }

  /** An answer can be larger than the model: an element may be in it any number of times. */
  private void step() {
    if (cancellation.isCancelled()) {
      throw new CancellationException("the query was cancelled");
    }
  }

  private void place(E element, int depth) {
    step();
    TypePlan<E> plan = plan(source.type(element));
    if (!plan.included()) {
      return;
    }
    places.putIfAbsent(element, placed);
    placed++;
    for (Reference<E> reference : plan.containments()) {
      for (E child : reference.targets().apply(element)) {
        place(child, deeper(depth));
      }
    }
  }

  /** The element as the options say, or null if its type is not in the effective metamodel. */
  ModelElement encode(E element) {
    return encode(element, 0);
  }

  private ModelElement encode(E element, int depth) {
    step();
    ModelElement encoded = new ModelElement();
    if (bare) {
      return options.isIncludeNodeIDs() ? encoded.setId(source.id(element)) : encoded;
    }
    T type = source.type(element);
    TypePlan<E> plan = plan(type);
    if (!plan.included()) {
      return null;
    }
    if (options.isIncludeNodeIDs()) {
      encoded.setId(source.id(element));
    }
    setFile(encoded, source.file(element));
    setType(encoded, type);
    if (!identifiersOnly) {
      setAttributes(encoded, element, plan);
      setReferences(encoded, element, plan);
      setContained(encoded, element, plan, depth);
    }
    return encoded;
  }

  private TypePlan<E> plan(T type) {
    TypePlan<E> plan = plans.get(type);
    if (plan == null) {
      plan = TypePlan.of(source, type, options);
      plans.put(type, plan);
    }
    return plan;
  }

  private void setFile(ModelElement encoded, FileName file) {
    if (file == lastFile) {
      return;
    }
    if (lastFile == null || !file.repository().equals(lastFile.repository())) {
      encoded.setRepositoryURL(file.repository());
    }
    if (lastFile == null || !file.name().equals(lastFile.name())) {
      encoded.setFile(file.name());
    }
    lastFile = file;
  }

  private void setType(ModelElement encoded, T type) {
    if (type == lastType) {
      return;
    }
    String uri = source.metamodel(type);
    if (lastType == null || !uri.equals(source.metamodel(lastType))) {
      encoded.setMetamodelUri(uri);
    }
    if (lastType == null || !source.name(type).equals(source.name(lastType))) {
      encoded.setTypeName(source.name(type));
    }
    lastType = type;
  }

  private void setAttributes(ModelElement encoded, E element, TypePlan<E> plan) {
    for (Attribute<E> attribute : plan.attributes()) {
      SlotValue value = attribute.value().apply(element);
      if (value != null) {
        encoded.addToAttributes(new AttributeSlot(attribute.name()).setValue(value));
      }
    }
  }

  private void setReferences(ModelElement encoded, E element, TypePlan<E> plan) {
    for (Reference<E> reference : plan.references()) {
      List<E> targets = new ArrayList<>(reference.targets().apply(element));
      targets.removeIf(target -> !plan(source.type(target)).included());
      if (!targets.isEmpty()) {
        encoded.addToReferences(slot(reference.name(), targets));
      }
    }
  }

  private ReferenceSlot slot(String name, List<E> targets) {
    List<String> ids = new ArrayList<>();
    List<Integer> positions = new ArrayList<>();
    List<MixedReference> mixed = new ArrayList<>();
    for (E target : targets) {
      Integer place = places == null ? null : places.get(target);
      if (place == null) {
        String id = source.id(target);
        ids.add(id);
        mixed.add(MixedReference.id(id));
      } else {
        positions.add(place);
        mixed.add(MixedReference.position(place));
      }
    }
    ReferenceSlot slot = new ReferenceSlot(name);
    if (!ids.isEmpty() && !positions.isEmpty()) {
      slot.setMixed(mixed);
    } else if (ids.size() == 1) {
      slot.setId(ids.get(0));
    } else if (positions.size() == 1) {
      slot.setPosition(positions.get(0));
    } else if (positions.isEmpty()) {
      slot.setIds(ids);
    } else {
      slot.setPositions(positions);
    }
    return slot;
  }

  private void setContained(ModelElement encoded, E element, TypePlan<E> plan, int depth) {
    for (Reference<E> reference : plan.containments()) {
      List<ModelElement> children = new ArrayList<>();
      for (E target : reference.targets().apply(element)) {
        ModelElement child = encode(target, deeper(depth));
        if (child != null) {
          children.add(child);
        }
      }
      if (!children.isEmpty()) {
        encoded.addToContainers(new ContainerSlot(reference.name(), children));
      }
    }
  }

  private static int deeper(int depth) {
    if (depth == DEEPEST) {
      throw new IllegalArgumentException(
          "elements are contained in each other more than "
              + DEEPEST
              + " deep: ask for them with includeContained off");
    }
    return depth + 1;
  }
}
