package org.modelstress.hawk.server.thrift;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.collections.impl.map.mutable.primitive.LongIntHashMap;
import org.modelstress.hawk.api.AttributeSlot;
import org.modelstress.hawk.api.ContainerSlot;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.MixedReference;
import org.modelstress.hawk.api.ModelElement;
import org.modelstress.hawk.api.ReferenceSlot;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.catalog.Layout;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.NodeKind;

/**
 * Turns model elements into Thrift's, for one answer. Repository, file, metamodel and type stand
 * only where they differ from the element before, in the order in which elements are written. A
 * reference is the target's identifier or, when identifiers are not asked for, its place in that
 * order if the target is in the answer.
 */
final class ElementEncoder {
  /** Clients read nested elements recursively; few stacks take much more. */
  private static final int DEEPEST = 500;

  private static final int ABSENT = -1;

  private final Catalog catalog;
  private final Graph graph;
  private final GraphReader reader;
  private final HawkQueryOptions options;
  private final int ofType;
  private final int inFile;
  private final Map<Catalog.Type, TypePlan> plans = new HashMap<>();
  private final Map<Long, FileName> files = new HashMap<>();
  private final boolean identifiersOnly;
  private FileName onlyFile;
  private LongIntHashMap places;
  private int placed;
  private FileName lastFile;
  private Catalog.Type lastType;

  ElementEncoder(Catalog catalog, Graph graph, GraphReader reader, HawkQueryOptions options) {
    this.catalog = catalog;
    this.graph = graph;
    this.reader = reader;
    this.options = options;
    ofType = graph.label(Layout.OF_TYPE);
    inFile = graph.label(Layout.IN_FILE);
    identifiersOnly =
        !options.isIncludeAttributes()
            && !options.isIncludeReferences()
            && !options.isIncludeContained();
    LongArrayList nodes = new LongArrayList();
    reader.nodes(NodeKind.FILE, nodes);
    if (nodes.size() == 1) { // saves a step for every element
      onlyFile = file(nodes.getFirst());
    }
  }

  /** Whether places have to be known before the first element is encoded. */
  boolean needsPlaces() {
    return options.isIncludeReferences() && !options.isIncludeNodeIDs();
  }

  /** Says that an element and what it contains will be encoded next; in the order of encoding. */
  void place(long node) {
    if (places == null) {
      places = new LongIntHashMap();
    }
    place(node, 0);
  }

  private void place(long node, int depth) {
    TypePlan plan = plan(type(node));
    if (!plan.included()) {
      return;
    }
    if (!places.containsKey(node)) {
      places.put(node, placed);
    }
    placed++;
    for (Catalog.Reference reference : plan.containments()) {
      targets(node, reference).forEach(child -> place(child, deeper(depth)));
    }
  }

  /** The element as the options say, or null if its type is not in the effective metamodel. */
  ModelElement encode(long node) {
    return encode(node, 0);
  }

  private ModelElement encode(long node, int depth) {
    Catalog.Type type = type(node);
    TypePlan plan = plan(type);
    if (!plan.included()) {
      return null;
    }
    ModelElement element = new ModelElement();
    if (options.isIncludeNodeIDs()) {
      element.setId(graph.idText(node));
    }
    setFile(element, onlyFile == null ? file(reader.target(node, inFile)) : onlyFile);
    setType(element, type);
    if (!identifiersOnly) {
      setAttributes(element, node, plan);
      setReferences(element, node, plan);
      setContained(element, node, plan, depth);
    }
    return element;
  }

  private Catalog.Type type(long node) {
    return catalog.at(reader.target(node, ofType));
  }

  private TypePlan plan(Catalog.Type type) {
    TypePlan plan = plans.get(type);
    if (plan == null) {
      plan = TypePlan.of(type, options);
      plans.put(type, plan);
    }
    return plan;
  }

  private FileName file(long node) {
    return files.computeIfAbsent(
        node, n -> FileName.of((String) reader.property(n, graph.key(Layout.PATH))));
  }

  private void setFile(ModelElement element, FileName file) {
    if (file == lastFile) {
      return;
    }
    if (lastFile == null || !file.repository().equals(lastFile.repository())) {
      element.setRepositoryURL(file.repository());
    }
    if (lastFile == null || !file.name().equals(lastFile.name())) {
      element.setFile(file.name());
    }
    lastFile = file;
  }

  private void setType(ModelElement element, Catalog.Type type) {
    if (type == lastType) {
      return;
    }
    String uri = type.eClass().getEPackage().getNsURI();
    if (lastType == null || !uri.equals(lastType.eClass().getEPackage().getNsURI())) {
      element.setMetamodelUri(uri);
    }
    if (lastType == null || !type.name().equals(lastType.name())) {
      element.setTypeName(type.name());
    }
    lastType = type;
  }

  private void setAttributes(ModelElement element, long node, TypePlan plan) {
    for (Catalog.Attribute attribute : plan.attributes()) {
      addAttribute(element, attribute.name(), reader.property(node, attribute.key()));
    }
    for (Catalog.Derived derived : plan.derived()) {
      long holder = reader.target(node, derived.label());
      if (holder != GraphReader.NONE) {
        addAttribute(element, derived.name(), reader.property(holder, graph.key(Layout.VALUE)));
      }
    }
  }

  private static void addAttribute(ModelElement element, String name, Object value) {
    if (value != null) {
      element.addToAttributes(new AttributeSlot(name).setValue(SlotValues.of(value)));
    }
  }

  private LongArrayList targets(long node, Catalog.Reference reference) {
    LongArrayList targets = new LongArrayList();
    reader.targets(node, reference.label(), targets);
    return targets;
  }

  private void setReferences(ModelElement element, long node, TypePlan plan) {
    for (Catalog.Reference reference : plan.references()) {
      LongArrayList targets =
          targets(node, reference).reject(target -> !plan(type(target)).included());
      if (!targets.isEmpty()) {
        element.addToReferences(slot(reference.name(), targets));
      }
    }
  }

  private ReferenceSlot slot(String name, LongArrayList targets) {
    List<String> ids = new ArrayList<>();
    List<Integer> positions = new ArrayList<>();
    List<MixedReference> mixed = new ArrayList<>();
    for (int i = 0; i < targets.size(); i++) {
      int place = places == null ? ABSENT : places.getIfAbsent(targets.get(i), ABSENT);
      if (place == ABSENT) {
        String id = graph.idText(targets.get(i));
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

  private void setContained(ModelElement element, long node, TypePlan plan, int depth) {
    for (Catalog.Reference reference : plan.containments()) {
      List<ModelElement> children = new ArrayList<>();
      targets(node, reference)
          .forEach(
              target -> {
                ModelElement child = encode(target, deeper(depth));
                if (child != null) {
                  children.add(child);
                }
              });
      if (!children.isEmpty()) {
        element.addToContainers(new ContainerSlot(reference.name(), children));
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
