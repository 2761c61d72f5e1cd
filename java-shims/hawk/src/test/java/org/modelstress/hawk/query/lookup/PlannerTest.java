package org.modelstress.hawk.query.lookup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.epsilon.eol.EolModule;
import org.eclipse.epsilon.eol.dom.ReturnStatement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.modelstress.hawk.MemoryGraph;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.catalog.Layout;
import org.modelstress.hawk.catalog.Metamodel;
import org.modelstress.hawk.graph.GraphWriter;
import org.modelstress.hawk.graph.NodeKind;
import org.modelstress.hawk.query.Fidelity;
import org.modelstress.hawk.query.GraphTokens;
import org.modelstress.models.Metamodels;

/** When Boolean derived attributes alone are a condition that indices serve. */
class PlannerTest {
  private static final String NS_URI = Metamodels.train().getNsURI();

  private final MemoryGraph graph = new MemoryGraph();

  @BeforeEach
  void registerMetamodel() {
    try (GraphWriter writer = graph.write()) {
      String text = Metamodel.text(Metamodels.train());
      writer.createNode(NodeKind.METAMODEL, Map.of(Layout.NS_URI, NS_URI, Layout.ECORE, text));
      writer.createNode(NodeKind.TYPE, Map.of(Layout.NS_URI, NS_URI, Layout.NAME, "Switch"));
      writer.commit();
    }
  }

  /** Declares an attribute of switches that so many of them are without. */
  private void declare(String name, Object undefined) {
    AttributeDeclaration declaration =
        AttributeDeclaration.of(
            Map.of(
                "kind", "derived",
                "metamodel", NS_URI,
                "type", "Switch",
                "name", name,
                "value_type", "Boolean",
                "logic", "true"));
    String json = Catalog.json(declaration);
    try (GraphWriter writer = graph.write()) {
      writer.createNode(
          NodeKind.DECLARATION,
          undefined == null
              ? Map.of(Layout.JSON, json)
              : Map.of(Layout.JSON, json, Layout.UNDEFINED, undefined));
      writer.commit();
    }
  }

  private Plan plan(Fidelity fidelity, String condition) throws Exception {
    EolModule module = new EolModule();
    module.parse("return " + condition + ";");
    var statement = (ReturnStatement) module.getMain().getStatements().get(0);
    GraphTokens tokens = new GraphTokens(graph, Catalog.read(graph));
    Catalog.Type type = tokens.catalog().type(NS_URI, "Switch");
    return new Planner(tokens, fidelity, Set.of(), type, "x")
        .plan(statement.getReturnedExpression());
  }

  private static List<String> names(Plan plan) {
    return plan.lookups().stream().map(lookup -> lookup.attribute().name()).toList();
  }

  @Test
  void whereEveryElementHasAValue() throws Exception {
    declare("a", 0);
    declare("b", 0);
    declare("c", 0);
    assertEquals(List.of("a"), names(plan(Fidelity.IMPROVED, "x.a")));
    Plan all = plan(Fidelity.IMPROVED, "x.a and x.b and x.c");
    assertEquals(List.of("a", "b", "c"), names(all));
    assertEquals(List.of(), all.residuals());
    assertNull(plan(Fidelity.PAPER, "x.a"));
    assertNull(plan(Fidelity.PAPER, "x.a and x.b and x.c"));
  }

  @Test
  void notWhereOneIsWithoutOrMayBe() throws Exception {
    declare("a", 1);
    declare("b", null);
    assertNull(plan(Fidelity.IMPROVED, "x.a"));
    assertNull(plan(Fidelity.IMPROVED, "x.b"));
    assertEquals(List.of("a"), names(plan(Fidelity.IMPROVED, "x.a = true")));
  }
}
