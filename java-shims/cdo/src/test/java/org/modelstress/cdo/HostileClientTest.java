package org.modelstress.cdo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
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
import org.eclipse.emf.cdo.common.branch.CDOBranchPoint;
import org.eclipse.emf.cdo.common.protocol.CDODataInput;
import org.eclipse.emf.cdo.common.protocol.CDODataOutput;
import org.eclipse.emf.cdo.common.protocol.CDOProtocolConstants;
import org.eclipse.emf.cdo.common.revision.CDORevision;
import org.eclipse.emf.cdo.eresource.CDOResource;
import org.eclipse.emf.cdo.internal.net4j.protocol.CDOClientProtocol;
import org.eclipse.emf.cdo.internal.net4j.protocol.CDOClientRequest;
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
import org.modelstress.cdo.driver.RawClient;

/** What clients must not be able to do to a server, and it to them, over every transport. */
@Timeout(240)
class HostileClientTest {
  @TempDir static Path folder;
  private static TrainFixture train;
  private static Path secret;

  @BeforeAll
  static void load() throws Exception {
    train = new TrainFixture(folder, 1);
    secret = Files.writeString(folder.resolve("secret.txt"), "top-secret");
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void sqlIsRefused(Transport transport) throws Exception {
    try (ServedStore served = new ServedStore(train, transport, Map.of());
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
    try (ServedStore served = new ServedStore(train, Transport.TCP, Map.of())) {
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
    try (ServedStore served = new ServedStore(train, transport, Map.of());
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

  /** Asks for objects, as many as there are numbers, and names none. */
  private static final class Claim extends CDOClientRequest<Void> {
    private final CDOBranchPoint where;
    private final int objects;

    Claim(RawClient client, int objects) {
      super((CDOClientProtocol) client.protocol(), CDOProtocolConstants.SIGNAL_LOAD_REVISIONS);
      this.where = client.session().getBranchManager().getMainBranch().getHead();
      this.objects = objects;
    }

    @Override
    protected void requesting(CDODataOutput out) throws IOException {
      out.writeCDOBranchPoint(where);
      out.writeXInt(CDORevision.UNCHUNKED);
      out.writeXInt(objects);
    }

    @Override
    protected Void confirming(CDODataInput in) throws IOException {
      in.readXInt(); // a refusal comes here
      return null;
    }
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void aListThatIsClaimedToBeLongTakesNoMemory(Transport transport) throws Exception {
    try (ServedStore served = new ServedStore(train, transport, Map.of());
        RawClient client = served.connect()) {
      for (int objects : new int[] {BoundedLoading.MOST + 1, Integer.MAX_VALUE}) {
        Exception e = assertThrows(Exception.class, () -> new Claim(client, objects).send());
        assertTrue(messages(e).contains("the server takes " + BoundedLoading.MOST), messages(e));
      }
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
    try (ServedStore served = new ServedStore(train, transport, Map.of());
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
      ServedStore.await(() -> !ServedStore.isRunning("java.io.ObjectInputStream"));
      assertFalse(made);
    }
  }

  @AfterAll
  static void theSecretIsStillOne() throws Exception {
    assertEquals("top-secret", Files.readString(secret));
  }
}
