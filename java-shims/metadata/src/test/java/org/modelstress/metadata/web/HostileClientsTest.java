package org.modelstress.metadata.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.metadata.Backends;
import org.modelstress.metadata.objects.Discovery;
import org.modelstress.metadata.objects.MetadataObject;
import org.modelstress.metadata.population.Content;
import org.modelstress.metadata.service.LocalService;

/** Whatever a client sends: a clear answer, nothing half-written, and others are served. */
class HostileClientsTest {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir private static Path folder;
  private static Backends backends;
  private static LocalService local;
  private static URI root;
  private static WebService service;

  @BeforeAll
  static void open() throws Exception {
    backends = new Backends(folder);
    local = backends.service("h2", "rows", "transactions", "types");
    root =
        URI.create(
            backends.closing(WebServer.start(local, "127.0.0.1", 0)).endpoints().get("http"));
    service = new WebService(new WebService.Shared(5_000), root, 20_000);
    service.define(Content.type(4), Content.attributes(4));
  }

  @AfterAll
  static void close() throws Exception {
    backends.close();
  }

  private static HttpResponse<String> send(String method, String path, String body, String... more)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(root.resolve(path))
            .timeout(Duration.ofSeconds(30))
            .method(method, HttpRequest.BodyPublishers.ofString(body));
    if (more.length == 0) {
      request.header("Content-Type", "application/json");
    } else {
      request.headers(more);
    }
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static void refused(int status, String part, HttpResponse<String> response) {
    assertEquals(status, response.statusCode(), response.body());
    assertTrue(response.body().contains("\"reason\""), response.body());
    assertTrue(response.body().contains(part), response.body());
  }

  private static int objects() throws Exception {
    return local.discover(Discovery.all(Content.type(4), 10_000)).size();
  }

  private static void othersAreServed() throws Exception {
    MetadataObject made = service.create(Content.type(4), Content.values(5, 1, 4));
    assertEquals(null, Content.wrong(service.get(made.id())));
  }

  @Test
  void bodiesThatAreNotUnderstoodAreRefused() throws Exception {
    int before = objects();
    for (String body :
        List.of("", "{", "[]", "null", "{\"type\": 1}", "{} {}", "{\"a\": 1, \"a\": 2}", "\0")) {
      refused(400, "", send("POST", "/v1/objects", body));
    }
    refused(400, "JSON", send("POST", "/v1/objects", "[".repeat(100_000)));
    refused(400, "no field 'x'", send("POST", "/v1/objects", "{\"x\": 1}"));
    refused(
        400,
        "JSON",
        send(
            "POST",
            "/v1/objects",
            "{\"type\": \"object-4\", \"values\": {\"key\": " + "9".repeat(1_000) + "}}"));
    refused(
        400,
        "peak",
        send("POST", "/v1/objects", "{\"type\": \"object-4\", \"values\": {\"peak\": {}}}"));
    assertEquals(before, objects());
  }

  @Test
  void whatIsTooLargeIsRefused() throws Exception {
    int before = objects();
    String large = "{\"type\": \"object-4\", \"values\": {\"text-3\": \"" + "x".repeat(100 << 20);
    refused(413, "longer", send("POST", "/v1/objects", large));
    String text =
        "{\"type\": \"object-4\", \"values\": {\"text-3\": \"" + "x".repeat(70_000) + "\"}}";
    refused(400, "", send("POST", "/v1/objects", text));
    assertEquals(before, objects());
    othersAreServed();
  }

  @Test
  void pathsAndParametersAreData() throws Exception {
    refused(404, "no such path", send("GET", "/v1/nothing", ""));
    refused(404, "no such path", send("DELETE", "/v1/objects/1001", ""));
    refused(
        404, "no type", send("GET", "/v1/types/%27%3B%20DROP%20TABLE%20object_version%3B--", ""));
    refused(400, "identifier", send("GET", "/v1/objects/1%20OR%201=1", ""));
    refused(400, "no parameter 'x'", send("GET", "/v1/types?x=1", ""));
    refused(400, "limit", send("GET", "/v1/discovery?type=object-4&limit=1000000", ""));
    refused(
        400,
        "no decimal",
        send("GET", "/v1/discovery?type=object-4&attribute=peak&value=1%20OR%201=1", ""));
    assertEquals(
        "{\"ids\":[]}",
        send("GET", "/v1/discovery?type=object-4&attribute=station&value=%27%20OR%201=1--", "")
            .body());
    othersAreServed();
  }

  @Test
  void pagesOfOtherSitesAreRefused() throws Exception {
    String body = "{\"attributes\": [{\"name\": \"a\", \"type\": \"text\"}]}";
    refused(415, "Content-Type", send("PUT", "/v1/types/t", body, "Content-Type", "text/plain"));
    refused(
        403,
        "web pages",
        send("PUT", "/v1/types/t", body, "Content-Type", "application/json", "Origin", "http://a"));
    try (Socket socket = new Socket(root.getHost(), root.getPort())) {
      socket
          .getOutputStream()
          .write(
              "GET /v1/types HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertTrue(answer.startsWith("HTTP/1.1 403 "), answer);
    }
    assertEquals(false, local.types().contains("t"));
  }

  @Test
  void slowAndHalfOpenClientsHoldNobodyUp() throws Exception {
    int before = objects();
    List<Socket> slow = new ArrayList<>();
    try {
      for (int i = 0; i < 400; i++) { // twice as many as there are threads
        Socket socket = new Socket(root.getHost(), root.getPort());
        slow.add(socket);
        OutputStream out = socket.getOutputStream();
        String head =
            "POST /v1/objects HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                + "Content-Length: 1000\r\n\r\n{\"type\": \"object-4\"";
        // some say nothing, some half a head, some half a body
        String begun = head.substring(0, i % 3 * head.length() / 2);
        out.write(begun.getBytes(StandardCharsets.US_ASCII));
        out.flush();
      }
      for (int i = 0; i < 20; i++) {
        othersAreServed();
      }
    } finally {
      for (Socket socket : slow) {
        socket.close();
      }
    }
    assertEquals(before + 20, objects());
  }

  @Test
  void filesAreReadAndRefused() throws Exception {
    String file =
        "<metadata xmlns=\"urn:modelstress:metadata:1\"><type name=\"f\"><attribute name=\"a\""
            + " type=\"text\"/></type><object type=\"f\"><value name=\"a\">x</value></object>"
            + "</metadata>";
    HttpResponse<String> read =
        send("POST", "/v1/exchange", file, "Content-Type", "application/xml");
    assertEquals(
        Map.of(200, "{\"types\":1,\"objects\":1,\"links\":0}"),
        Map.of(read.statusCode(), read.body()));
    refused(
        400,
        "no XML",
        send(
            "POST",
            "/v1/exchange",
            file.substring(0, file.length() - 5),
            "Content-Type",
            "application/xml"));
  }
}
