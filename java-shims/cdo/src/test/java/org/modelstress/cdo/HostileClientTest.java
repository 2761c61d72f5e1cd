package org.modelstress.cdo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ObjectInputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.eclipse.emf.cdo.eresource.CDOResource;
import org.eclipse.emf.cdo.transaction.CDOTransaction;
import org.eclipse.emf.cdo.util.CDOUtil;
import org.eclipse.emf.cdo.util.CommitException;
import org.eclipse.emf.cdo.view.CDOQuery;
import org.eclipse.emf.cdo.view.CDOView;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EDataType;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EcoreFactory;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.eclipse.net4j.signal.SignalProtocol;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.cdo.driver.CdoDriver;
import org.modelstress.cdo.driver.RawClient;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Outcome;

/** What clients must not be able to do to a server, and it to them, over every transport. */
@Timeout(240)
class HostileClientTest {
  private static final String LONG =
      "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

  @TempDir static Path folder;
  private static TrainFixture train;
  private static Path secret;

  @BeforeAll
  static void load() throws Exception {
    train = new TrainFixture(folder, 1);
    secret = Files.writeString(folder.resolve("secret.txt"), "top-secret");
  }

  /** A server, and whether it still answers. */
  private static final class Served implements AutoCloseable {
    final Transport transport;
    final CdoRepository repository;
    final Listener listener;

    Served(Transport transport, Map<String, Object> more) throws Exception {
      this.transport = transport;
      Path copy = Files.createTempDirectory(folder, "copy").resolve("store");
      StoreFolder.at(train.store).copyTo(copy, false);
      ServerOptions options = ServerOptions.of(transport.server(more));
      repository = new CdoRepository(copy, options);
      listener = Listener.open(transport.protocol, repository.container(), "127.0.0.1", 0, options);
    }

    RawClient connect() throws Exception {
      return new RawClient(
          TrainFixture.endpoint(listener.endpoint()), transport.driver(30_000, Map.of()));
    }

    Outcome ask(long timeoutMillis, String ocl) throws Exception {
      try (Driver driver = new CdoDriver();
          Driver.Session session =
              driver.open(
                  TrainFixture.endpoint(listener.endpoint()),
                  transport.driver(timeoutMillis, Map.of("signal_timeout_ms", 60_000)))) {
        return session.execute(TrainFixture.ocl(ocl));
      }
    }

    void assertAnswers() throws Exception {
      Outcome outcome = ask(60_000, "railway::Segment.allInstances()->select(s | s.length > 0)");
      assertEquals(Outcome.Kind.OK, outcome.kind(), outcome.detail());
    }

    @Override
    public void close() {
      listener.close();
      repository.close();
    }
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void sqlIsRefused(Transport transport) throws Exception {
    try (Served served = new Served(transport, Map.of());
        RawClient client = served.connect()) {
      CDOView view = client.session().openView();
      for (String language :
          List.of(
              "sql",
              "SQL",
              "Sql",
              "sQL",
              " sql",
              "sql ",
              "sql\0",
              "\uFF53ql",
              "instances",
              "OCL",
              "")) {
        for (String text :
            List.of(
                "SELECT FILE_READ('" + secret + "')",
                "CREATE ALIAS X AS 'String x(String c) throws Exception {"
                    + " return new String(Runtime.getRuntime().exec(c).getInputStream()"
                    + ".readAllBytes()); }'",
                "SELECT X('id')")) {
          for (Boolean statement : new Boolean[] {true, false}) {
            CDOQuery query = view.createQuery(language, text);
            query.setParameter("queryStatement", statement);
            Exception e = assertThrows(Exception.class, query::getResult, language + text);
            assertTrue(messages(e).contains("in OCL only"), messages(e));
          }
        }
      }
      served.assertAnswers();
    }
  }

  private static String messages(Throwable thrown) {
    StringBuilder all = new StringBuilder();
    for (Throwable each = thrown; each != null; each = each.getCause()) {
      all.append(each).append('\n');
    }
    return all.toString();
  }

  /** Should a way to SQL be found after all, it reaches neither files nor Java. */
  @Test
  void theServersDatabaseUserIsNoAdministrator() throws Exception {
    try (Served served = new Served(Transport.TCP, Map.of())) {
      try (Connection connection = served.repository.database().source().getConnection();
          Statement statement = connection.createStatement()) {
        for (String sql :
            List.of(
                "SELECT FILE_READ('" + secret + "')",
                "CREATE ALIAS X FOR \"java.lang.System.getProperty\"",
                "SCRIPT TO '" + folder.resolve("script.sql") + "'",
                "CREATE USER MORE PASSWORD '' ADMIN")) {
          assertThrows(SQLException.class, () -> statement.execute(sql), sql);
        }
      }
      served.assertAnswers();
    }
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void aCommittedMetamodelMakesNothing(Transport transport) throws Exception {
    Path victim = Files.writeString(folder.resolve("victim.txt"), "precious");
    try (Served served = new Served(transport, Map.of());
        RawClient client = served.connect()) {
      EObject hostile = hostile(victim);
      CDOTransaction transaction = client.session().openTransaction();
      CommitException e =
          assertThrows(
              CommitException.class,
              () -> {
                CDOResource resource = transaction.getOrCreateResource("/hostile");
                resource.getContents().add(hostile);
                transaction.commit();
              });
      assertTrue(messages(e).contains("can only be read"), messages(e)); // it arrived as it was
      assertEquals("precious", Files.readString(victim));
      served.assertAnswers();
    }
  }

  private static EObject hostile(Path victim) {
    EPackage ePackage = EcoreFactory.eINSTANCE.createEPackage();
    ePackage.setName("hostile");
    ePackage.setNsPrefix("hostile");
    ePackage.setNsURI("http://modelstress.test/hostile" + System.nanoTime());
    EDataType stream = EcoreFactory.eINSTANCE.createEDataType();
    stream.setName("Stream");
    stream.setInstanceTypeName("java.io.FileOutputStream");
    EClass eClass = EcoreFactory.eINSTANCE.createEClass();
    eClass.setName("Victim");
    EAttribute attribute = EcoreFactory.eINSTANCE.createEAttribute();
    attribute.setName("stream");
    attribute.setEType(stream);
    attribute.setDefaultValueLiteral(victim.resolveSibling("nothing/at/all").toString());
    eClass.getEStructuralFeatures().add(attribute);
    ePackage.getEClassifiers().addAll(List.of(stream, eClass));
    CDOUtil.prepareDynamicEPackage(ePackage);
    EObject made = EcoreUtil.create(eClass);
    attribute.setDefaultValueLiteral(victim.toString());
    return made;
  }

  /** Set by being deserialised. */
  private static volatile boolean made;

  private static final class Foreign implements Serializable {
    private static final long serialVersionUID = 1L;

    private void readObject(ObjectInputStream in) {
      made = true;
    }
  }

  /** Equal sets of equal sets: to put them into each other takes two to the power of 40 steps. */
  private static Serializable bomb() {
    HashSet<Object> root = new HashSet<>();
    Set<Object> one = root;
    Set<Object> other = new HashSet<>();
    for (int i = 0; i < 40; i++) {
      Set<Object> left = new HashSet<>();
      Set<Object> right = new HashSet<>();
      left.add("foo");
      one.addAll(Arrays.asList(left, right));
      other.addAll(Arrays.asList(left, right));
      one = left;
      other = right;
    }
    return root;
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void exceptionsOfAPeerHoldNothingElse(Transport transport) throws Exception {
    made = false;
    try (Served served = new Served(transport, Map.of());
        RawClient client = served.connect()) {
      SignalProtocol<?> server =
          (SignalProtocol<?>)
              served.repository.repository().getSessionManager().getSessions()[0].getProtocol();
      for (SignalProtocol<?> to : List.of(client.protocol(), server)) { // told by either end
        RawClient.tell(to, new Foreign());
        RawClient.tell(to, bomb());
      }
      served.assertAnswers();
      assertFalse(client.session().isClosed());
      TimeUnit.SECONDS.sleep(2); // for the bombs to be met
      await(() -> !isRunning("java.io.ObjectInputStream"));
      assertFalse(made);
    }
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "it goes on");
      Thread.sleep(100);
    }
  }

  /** Whether a thread of this process, which is server and client, is inside a class. */
  private static boolean isRunning(String className) {
    return Thread.getAllStackTraces().values().stream()
        .flatMap(Arrays::stream)
        .anyMatch(frame -> frame.getClassName().equals(className));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "s.oclAsType(ecore::EObject).eClass().name = 'Segment'",
        "s.oclAsType(EObject).eClass().name = 'Segment'",
        "s.oclAsType(EObject).eContainer() <> null",
        "s.oclAsType(EObject).eSet(null, null) = null",
        "s.eClass().name = 'Segment'",
        "s.eInvoke(null, null) = null",
        "s.oclAsType(OclAny).oclAsType(EClass).ePackage.eFactoryInstance <> null",
        "eresource::CDOResource.allInstances()->forAll(r | r.contents->forAll(e |"
            + " e.eClass().ePackage.eFactoryInstance.createFromString(null, 'x') = null))",
        "eresource::CDOResource.allInstances()->forAll(r | r.eResource() = null)",
        "eresource::CDOResource.allInstances()->forAll(r | r.contents->forAll(e |"
            + " e.eGet(null) = null))",
        "s.oclType().name = 'Segment'",
      })
  void queriesDoNotReachEcore(String condition) throws Exception {
    try (Served served = new Served(Transport.TCP, Map.of())) {
      Outcome outcome =
          served.ask(60_000, "railway::Segment.allInstances()->select(s | " + condition + ")");
      assertEquals(Outcome.Kind.ERROR, outcome.kind(), outcome.detail());
    }
  }

  @Test
  void theServerEndsAQueryInTime() throws Exception {
    try (Served served = new Served(Transport.TCP, Map.of("query_timeout_s", 1))) {
      Outcome outcome = served.ask(60_000, TrainFixture.ENDLESS);
      assertEquals(Outcome.Kind.ERROR, outcome.kind(), outcome.detail());
      assertTrue(outcome.detail().contains("query_timeout_s"), outcome.detail());
      served.assertAnswers();
    }
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void aQueryEndsWithItsClient(Transport transport) throws Exception {
    try (Served served = new Served(transport, Map.of("interrupt_queries", false))) {
      Outcome outcome = served.ask(transport.limitMillis, TrainFixture.ENDLESS);
      assertEquals(Outcome.Kind.TIMEOUT, outcome.kind(), outcome.detail());
      await(() -> !isRunning(OclQueryHandler.class.getName()));
      served.assertAnswers();
    }
  }

  @Test
  void aTextHasBounds() throws Exception {
    try (Served served = new Served(Transport.TCP, Map.of())) {
      String all = "railway::Segment.allInstances()";
      Map<String, String> refusals =
          Map.of(
              all + "->select(true" + " or true".repeat(QueryBounds.LONGEST_TEXT / 8) + ")",
              "The query has \\d+ characters; the server takes \\d+.",
              all + "->select(" + "(".repeat(5_000) + "true" + ")".repeat(5_000) + ")",
              "The query has more than \\d+ brackets inside each other.",
              all + "->select(true" + " or true".repeat(20_000) + ")",
              "The query is nested too deeply.");
      for (Map.Entry<String, String> each : refusals.entrySet()) {
        Outcome outcome = served.ask(60_000, each.getKey());
        assertEquals(Outcome.Kind.ERROR, outcome.kind(), outcome.detail());
        assertTrue(outcome.detail().matches(each.getValue()), outcome.detail());
      }
      served.assertAnswers();
    }
  }

  /** Each would fill any memory, or go on for ever in one step. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Set{1..2147483647}->size() > 0",
        "Sequence{1..2147483647}->asSet()->size() > 0",
        "Sequence{1..40}->iterate(i; t : String = 'x' | t.concat(t)).size() > 0",
        "Sequence{1..9}->iterate(i; a : Sequence(Integer) = Sequence{1..300000} | a->union(a))"
            + "->size() > 0",
        "Sequence{1..1000000}->product(Sequence{1..1000000})->size() > 0",
        "Sequence{1..1000000}->includesAll(Sequence{-1000000..1000000})",
        "Sequence{-1000000..-1}->excludesAll(Sequence{1..1000000})",
        "Sequence{Sequence{1..900000}, Sequence{1..900000}}->flatten()->size() > 0",
        "Sequence{1..1000000}->collect(i | Sequence{1..1000000})->size() > 0",
        "('" + LONG + "').matches('(x+x+)+y')",
        "('"
            + LONG
            + "').replaceAll('', '"
            + LONG
            + LONG
            + "').replaceAll('', '"
            + LONG
            + LONG
            + "').replaceAll('', '"
            + LONG
            + LONG
            + "').size() > 0",
        "('"
            + LONG
            + "').substituteAll('x', '"
            + LONG
            + LONG
            + "').substituteAll('x', '"
            + LONG
            + LONG
            + "').substituteAll('x', '"
            + LONG
            + LONG
            + "').size() > 0",
      })
  void aQueryDoesNotFillTheMemory(String condition) throws Exception {
    try (Served served = new Served(Transport.TCP, Map.of("query_timeout_s", 2))) {
      Outcome outcome =
          served.ask(60_000, "railway::Segment.allInstances()->select(s | " + condition + ")");
      assertEquals(Outcome.Kind.ERROR, outcome.kind(), outcome.detail());
      assertTrue(
          outcome.detail().matches("The (query|server ended the query) .*"), outcome.detail());
      await(() -> !isRunning(OclQueryHandler.class.getName()));
      served.assertAnswers();
    }
  }

  @AfterAll
  static void theSecretIsStillOne() throws Exception {
    assertEquals("top-secret", Files.readString(secret));
  }
}
