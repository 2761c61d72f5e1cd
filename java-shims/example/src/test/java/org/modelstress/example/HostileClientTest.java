package org.modelstress.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.models.ModelFiles;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;

/** What anybody who reaches the port, web pages among them, must not be able to do. */
@Timeout(60)
class HostileClientTest {
  private static final String HONEST = "return Segment.all.select(s | s.length <= 0);";
  private static final String TYPE = "Content-Type: " + OwnRequests.TYPE;

  @TempDir static Path folder;
  private static ToolServer.Running server;
  private static int port;
  private static String right;

  @BeforeAll
  static void serve() throws Exception {
    ModelFiles.save(
        TrainGenerator.generate(Line.LINE_2016, Scenario.REPAIR, 1, TrainGenerator.DEFAULT_SEED),
        folder.resolve("model.xmi"));
    ServerConfig config =
        new ServerConfig(
            "example",
            "memory",
            folder.resolve("model.xmi"),
            folder.resolve("store"),
            folder.resolve("work"),
            "127.0.0.1",
            Map.of("http", 0),
            List.of(),
            Map.of());
    new ExampleServer().load(config, (done, total) -> {});
    server = new ExampleServer().serve(config);
    port = URI.create(server.endpoints().get("http")).getPort();
    right = ask(HONEST);
    assertTrue(right.startsWith("HTTP/1.1 200"), right);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @AfterEach
  void theModelIsAsItWas() throws Exception {
    assertEquals(right, ask(HONEST));
    assertFalse(Files.exists(folder.resolve("made")));
  }

  private static String ask(String query) throws Exception {
    return send("POST", "Host: 127.0.0.1", TYPE, query).replaceFirst("Date: .*", "");
  }

  private static String send(String method, String first, String second, String body)
      throws Exception {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    String head =
        method
            + " /query?tuple=a HTTP/1.1\r\nConnection: close\r\nContent-Length: "
            + bytes.length
            + "\r\n"
            + first
            + "\r\n"
            + second
            + "\r\n\r\n";
    try (Socket socket = new Socket("127.0.0.1", port)) {
      OutputStream out = socket.getOutputStream();
      out.write(head.getBytes(StandardCharsets.UTF_8));
      out.write(bytes);
      out.flush();
      InputStream in = socket.getInputStream();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "new Native('java.io.File')('%s').createNewFile();",
        "new Native('java.io.FileOutputStream')('%s');",
        "new Native('java.lang.ProcessBuilder')(Sequence{'touch', '%s'}).start().waitFor();",
        "Native('java.lang.Runtime').getRuntime().exec('touch %s');",
        "'x'.store('%s');",
        "'a'.getClass().forName('java.lang.Runtime');",
        "'a'.class.forName('java.lang.Runtime');",
        "Segment.all.first().eClass().getClass();",
        "Segment.all.first().eResource().save(null);",
        "Segment.all.first().eResource;",
        "Segment.all.first().type().ePackage.eFactoryInstance.create(Segment.all.first().type());",
        "Segment.all.first().type().instanceClass.getName();",
        "Segment.all.first().owningModel().dispose();",
        "Segment.all.first().eContainer.eResource;",
        "System.executeNative('touch %s');",
        "System.getPlatformProperty('user.home');",
        "Sequence{1}.parallelStream();",
        "import '%s';",
        "model M driver EMF { file = '%s' };",
        "1.getInteger('java.specification.version');",
        "'a'.foo(x | 1, y | 2);",
        "new Segment;",
        "delete Segment.all.first();",
        "Segment.all.first().length = -1;",
        "Segment.createInstance();",
        "Segment.all.first().connectsTo.clear();",
        "Segment.all.first().connectsTo.subList(0, 1).clear();",
        "Segment.all.first().monitoredBy.add(Sensor.all.first());",
        "Segment.all.first().monitoredBy.move(0, 1);",
        "Segment.all.first().eSet(null, null);",
        "Segment.all.first().eContainer.segments = Sequence{};",
        "Segment.all.first().`connectsTo`.remove(Segment.all.first());",
        "Segment.all.first().connectsTo.addUnique(Segment.all.first());",
      })
  void aQueryOnlyReads(String attack) throws Exception {
    String text = attack.replace("%s", folder.resolve("made").toString());
    String said = ask(text + " return Segment.all;");
    assertTrue(said.startsWith("HTTP/1.1 400") || said.startsWith("HTTP/1.1 500"), said);
  }

  @ParameterizedTest
  @CsvSource({
    "POST, Host: 127.0.0.1, Content-Type: text/plain, 415",
    "POST, Host: 127.0.0.1, Content-Type: application/x-www-form-urlencoded, 415",
    "POST, Host: 127.0.0.1, X-Nothing: 1, 415",
    "POST, Origin: null, Host: 127.0.0.1, 403",
    "POST, Origin: http://evil.example, Host: 127.0.0.1, 403",
    "POST, Host: evil.example, " + "Content-Type: application/x-eol, 403",
    "POST, Host: 127.0.0.1.evil.example, Content-Type: application/x-eol, 403",
    "GET, Host: 127.0.0.1, Content-Type: application/x-eol, 405",
    "OPTIONS, Host: 127.0.0.1, Content-Type: application/x-eol, 405",
    "TRACE, Host: 127.0.0.1, Content-Type: application/x-eol, 405",
    "PUT, Host: 127.0.0.1, Content-Type: application/x-eol, 405",
    "POST, X-Nothing: 1, Content-Type: application/x-eol, 403",
  })
  void webPagesAreTurnedAway(String method, String first, String second, int status)
      throws Exception {
    String said = send(method, first, second, HONEST);
    assertTrue(said.startsWith("HTTP/1.1 " + status), said);
    assertFalse(said.contains("Access-Control"), said);
  }

  @Test
  void aHugeRequestIsNotRead() throws Exception {
    String said = ask(HONEST + " ".repeat(1 << 17));
    assertTrue(said.startsWith("HTTP/1.1 413"), said);
  }
}
