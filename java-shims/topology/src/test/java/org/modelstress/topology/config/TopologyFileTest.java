package org.modelstress.topology.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.modelstress.topology.Topologies;

class TopologyFileTest {
  private static final String THREE_TIERS =
      Topologies.TYPES
          + """
          domains:
            people: {code: 1, define: [SELECT FROM Landlord, SELECT FROM Customer], tree: "R(ds1, ds2)"}
            houses: {code: 2, define: [SELECT FROM Accommodation], tree: ds3}
          managers:
            client:
              ids: [10, 99]
              connections:
                - {adapter: nio, server: middle, imports: [people@ds1, people@ds2, houses@ds3]}
            middle:
              id: 1
              exports: [people@ds1, people@ds2, houses@ds3]
              listeners: [nio]
              connections:
                - {adapter: jdbc, store: ds1, imports: [people@ds1]}
                - {adapter: jdbc, store: ds2, imports: [people@ds2]}
                - {adapter: jdbc, store: ds3, imports: [houses@ds3]}
          """;

  @Test
  void aTopologyIsRead() throws ConfigException {
    Topology topology = Topologies.of(THREE_TIERS);
    assertEquals(Set.of("ds1", "ds2"), topology.domain("people").tree().stores());
    assertEquals(List.of(Set.of("ds3")), topology.domain("houses").places());
    assertEquals(3, topology.manager("middle").links().size());
    assertTrue(topology.schema().type("Customer").attribute(2).indexed());
    assertEquals("Landlord", topology.schema().type("Accommodation").attribute(4).target());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "id: 1 | id: 10 | managers.middle has an id of manager client",
        "id: 1 | id: 0 | managers.middle has ids [0, 0]",
        "listeners: [nio] | listeners: [grpc] | speaks nio, and middle listens to [grpc]",
        "listeners: [nio] | listeners: [nil] | managers.middle.listeners has unknown adapter nil",
        "server: middle | server: meddle | connections.0 has unknown server meddle",
        "store: ds3, | store: ds9, | has unknown store ds9",
        "tree: ds3 | tree: ds9 | domains.houses has unknown store ds9 in its tree",
        "'tree: \"R(ds1, ds2)\"' | 'tree: \"R(ds1)\"' | domains.people has tree 'R(ds1)': R and I have two",
        "'tree: \"R(ds1, ds2)\"' | 'tree: \"R(ds1, ds1)\"' | store ds1 is there twice",
        "'exports: [people@ds1, people@ds2, houses@ds3]' | 'exports: [people@ds1]' | which middle does not export",
        "'imports: [houses@ds3]' | 'imports: [houses@ds1]' | the tree of the domain has no store ds1",
        "'      - {adapter: jdbc, store: ds3, imports: [houses@ds3]}' | '' | managers.middle.exports has houses@ds3, which no connection",
        "SELECT FROM Accommodation | SELECT FROM House | there is no type House",
        "code: 2, | code: 1, | domains.houses has the code of domain people",
        "code: 103 | code: 100 | types.Customer has the code of type Landlord",
        "landlord: Landlord | landlord: Lord | types.Accommodation.attributes.landlord has unknown type Lord",
        "ds3: 3 | ds3: 1 | stores.ds3 has the number of another store",
        "id: 1 | identity: 1 | Unrecognized field",
      })
  void whatIsWrongIsOneSentenceWithFileAndEntry(String there, String instead, String said) {
    assertTrue(THREE_TIERS.contains(there), there);
    String text = THREE_TIERS.replaceFirst(java.util.regex.Pattern.quote(there), instead);
    String message = assertThrows(ConfigException.class, () -> Topologies.of(text)).getMessage();
    assertTrue(message.contains(said), message);
    assertTrue(message.startsWith("topology") && message.lines().count() == 1, message);
  }

  @Test
  void tiersInACircleAreRefused() {
    String circle =
        THREE_TIERS
            + """
                  - {adapter: nio, server: other, imports: [people@ds1]}
              other:
                id: 2
                exports: [people@ds1]
                listeners: [nio]
                connections:
                  - {adapter: nio, server: middle, imports: [people@ds1]}
            """
                .indent(-0);
    String message = assertThrows(ConfigException.class, () -> Topologies.of(circle)).getMessage();
    assertTrue(message.contains("is its own server: "), message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ds1 | [[ds1]]",
        "I(ds1, R(ds2, ds3)) | [[ds1], [ds2, ds3]]",
        "R(ds1,ds2) | [[ds1, ds2]]"
      })
  void placesAreSetsOfStoresThatHaveAnObjectTogether(String text, String places)
      throws ConfigException {
    assertEquals(places, Tree.parse(text).places().toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"I(", "R(ds1, I(ds2, ds3))", "ds1 ds2", "X(ds1, ds2)", "R(ds1 ds2)", "R()"})
  void treesThatAreNoneAreRefused(String text) {
    String message = assertThrows(ConfigException.class, () -> Tree.parse(text)).getMessage();
    assertTrue(message.startsWith("tree '" + text + "': "), message);
  }

  private static final String TWO_MARKETS =
      Topologies.TYPES
          + """
          applications: {ours: [ds1], theirs: [ds2, ds3]}
          domains:
            all: {code: 1, define: [SELECT FROM Customer], tree: "I(ds1, R(ds2, ds3))"}
          managers:
            client:
              ids: [10, 99]
              application: ours
              connections:
                - {adapter: nio, server: middle, imports: ["*@*"]}
            middle:
              id: 1
              exports: ["*@*"]
              listeners: [nio]
              connections:
                - {adapter: jdbc, store: ds1, imports: ["*@ds1"]}
                - {adapter: jdbc, store: ds2, imports: ["all@ds2"]}
                - {adapter: jdbc, store: ds3, imports: ["*@ds3"]}
          """;

  @Test
  void anApplicationKnowsOfItsOwnStoresOnly() throws ConfigException {
    Topology topology = Topologies.of(TWO_MARKETS);
    ManagerConfig client = topology.manager("client");
    assertEquals(Set.of(new Part("all", "ds1")), client.links().get(0).imports());
    Topology seen = topology.seenBy(client.application());
    assertEquals(List.of(Set.of("ds1")), seen.domain("all").places());
    assertEquals(2, topology.seenBy(null).domain("all").places().size());
    assertEquals(3, topology.manager("middle").exports().size());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "theirs: [ds2, ds3] | theirs: [ds2] | applications do not have store ds3",
        "theirs: [ds2, ds3] | theirs: [ds1, ds2, ds3] | applications.theirs has store ds1 of application ours",
        "theirs: [ds2, ds3] | theirs: [ds2, ds3, ds4] | applications.theirs has unknown store ds4",
        "theirs: [ds2, ds3] | 'theirs: [ds2], others: [ds3]' | domains.all has objects that are in all of",
        "application: ours | application: nobodys | managers.client.application is nobodys; there are [ours, theirs]",
        "'imports: [\"*@*\"]' | 'imports: [\"all@ds2\"]' | managers.client imports all@ds2, and application ours has [ds1]",
        "'imports: [\"*@*\"]' | 'imports: [\"*@ds2\"]' | has *@ds2, which is nothing here",
      })
  void applicationsThatCannotBeAreRefused(String there, String instead, String said) {
    assertTrue(TWO_MARKETS.contains(there), there);
    String text = TWO_MARKETS.replaceFirst(java.util.regex.Pattern.quote(there), instead);
    String message = assertThrows(ConfigException.class, () -> Topologies.of(text)).getMessage();
    assertTrue(message.contains(said), message);
  }
}
