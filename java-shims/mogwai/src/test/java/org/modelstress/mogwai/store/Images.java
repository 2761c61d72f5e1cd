package org.modelstress.mogwai.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tinkerpop.blueprints.Direction;
import com.tinkerpop.blueprints.Edge;
import com.tinkerpop.blueprints.Element;
import com.tinkerpop.blueprints.Vertex;
import fr.inria.atlanmod.neoemf.core.PersistentEObject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.modelstress.models.ElementIndex;

/** Models and databases as lines of text that are equal exactly when the contents are. */
final class Images {
  private Images() {}

  /** Fails with the first lines that differ, not with all of them. */
  static void assertSame(List<String> expected, List<String> actual) {
    for (int i = 0; i < Math.min(expected.size(), actual.size()); i++) {
      if (!expected.get(i).equals(actual.get(i))) {
        int from = Math.max(0, i - 3);
        assertEquals(
            String.join("\n", expected.subList(from, i + 1)),
            String.join("\n", actual.subList(from, i + 1)));
      }
    }
    assertEquals(expected.size(), actual.size());
  }

  /** Every element's class, container and features, in containment order and the lists' order. */
  static List<String> model(ElementIndex elements) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < elements.size(); i++) {
      EObject element = elements.element(i);
      lines.add(
          "#"
              + i
              + " "
              + Schema.classId(element.eClass())
              + " in "
              + (element.eContainer() == null ? "-" : elements.indexOf(element.eContainer())));
      for (EStructuralFeature feature : element.eClass().getEAllStructuralFeatures()) {
        lines.add(
            "  "
                + feature.getName()
                + (isSet(element, feature) ? " set" : " unset")
                + " = "
                + value(element, feature, elements));
      }
    }
    return lines;
  }

  /** NeoEMF calls references to the container unset, whatever they hold. */
  private static boolean isSet(EObject element, EStructuralFeature feature) {
    return feature instanceof EReference reference && reference.isContainer()
        || element.eIsSet(feature);
  }

  private static String value(EObject element, EStructuralFeature feature, ElementIndex elements) {
    Object value = element.eGet(feature);
    List<String> texts = new ArrayList<>();
    for (Object each : value instanceof List<?> list ? list : Collections.singletonList(value)) {
      if (each == null) {
        texts.add("null");
      } else if (feature instanceof EReference) {
        texts.add("#" + elements.indexOf((EObject) each));
      } else {
        texts.add(
            EcoreUtil.convertToString(((EAttribute) feature).getEAttributeType(), each)
                + ":"
                + each.getClass().getName());
      }
    }
    return texts.toString();
  }

  /** What NeoEMF calls the elements, with what a database's image calls them. */
  static Map<String, String> names(ElementIndex reopened) {
    Map<String, String> names = new HashMap<>();
    for (int i = 0; i < reopened.size(); i++) {
      names.put(((PersistentEObject) reopened.element(i)).id().toString(), "#" + i);
    }
    return names;
  }

  /** All vertices and edges with their properties, sorted; identifiers of edges left out. */
  static List<String> graph(ModelGraph graph, Map<String, String> names) {
    List<String> lines = new ArrayList<>();
    for (Vertex vertex : graph.graph().getVertices()) {
      lines.add(name(vertex, names) + " " + properties(vertex));
    }
    for (Edge edge : graph.graph().getEdges()) {
      lines.add(
          name(edge.getVertex(Direction.OUT), names)
              + " -"
              + edge.getLabel()
              + properties(edge)
              + "-> "
              + name(edge.getVertex(Direction.IN), names));
    }
    Collections.sort(lines);
    return lines;
  }

  private static String name(Vertex vertex, Map<String, String> names) {
    String id = vertex.getProperty(Schema.ID);
    return names.getOrDefault(id, id);
  }

  private static String properties(Element element) {
    Map<String, String> properties = new TreeMap<>();
    for (String key : element.getPropertyKeys()) {
      if (!key.equals(Schema.ID)) {
        Object value = element.getProperty(key);
        properties.put(key, value + ":" + value.getClass().getSimpleName());
      }
    }
    return properties.toString();
  }
}
