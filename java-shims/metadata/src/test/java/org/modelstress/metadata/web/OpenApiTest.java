package org.modelstress.metadata.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.atlassian.oai.validator.OpenApiInteractionValidator;
import com.atlassian.oai.validator.model.Request;
import com.atlassian.oai.validator.model.SimpleRequest;
import com.atlassian.oai.validator.model.SimpleResponse;
import com.atlassian.oai.validator.report.ValidationReport;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.metadata.Backends;
import org.modelstress.metadata.service.LocalService;

/** Every path of the API does what its description says, and there are no others. */
class OpenApiTest {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final Set<String> CALLED = new TreeSet<>();

  @TempDir private static Path folder;
  private static Backends backends;
  private static LocalService local;
  private static URI root;
  private static String description;
  private static OpenApiInteractionValidator validator;

  @BeforeAll
  static void open() throws Exception {
    backends = new Backends(folder);
    local = backends.service("h2", "rows", "transactions", "types");
    WebServer server = backends.closing(WebServer.start(local, "127.0.0.1", 0));
    root = URI.create(server.endpoints().get("http"));
    try (InputStream in = WebHandler.class.getResourceAsStream("openapi.yaml")) {
      description = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    validator = OpenApiInteractionValidator.createForInlineApiSpecification(description).build();
  }

  @AfterAll
  static void close() throws Exception {
    backends.close();
  }

  /** Sends a request, which the description allows or not, and holds the answer against it. */
  private static String call(
      boolean allowed, int status, String method, String path, String query, String body)
      throws Exception {
    boolean xml = path.endsWith("exchange");
    String type = xml ? "application/xml" : "application/json";
    HttpRequest.Builder request =
        HttpRequest.newBuilder(root.resolve(path + (query == null ? "" : "?" + query)))
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body));
    SimpleRequest.Builder described = new SimpleRequest.Builder(method, path);
    if (body != null) {
      request.header("Content-Type", type);
      described.withContentType(type).withBody(body);
    }
    if (query != null) {
      for (String each : query.split("&")) {
        described.withQueryParam(each.split("=")[0], each.split("=")[1]);
      }
    }
    HttpResponse<String> response =
        HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    assertEquals(status, response.statusCode(), response.body());
    SimpleResponse.Builder answer = SimpleResponse.Builder.status(response.statusCode());
    response.headers().firstValue("Content-Type").ifPresent(answer::withContentType);
    if (!response.body().isEmpty()) {
      answer.withBody(response.body());
    }
    if (allowed && !xml) {
      none(validator.validate(described.build(), answer.build()));
    } else {
      Request.Method word = Request.Method.valueOf(method);
      none(validator.validateResponse(path, word, answer.build()));
    }
    CALLED.add(method + " " + path.replaceAll("/(-?\\d+|sensor|nothing)(?=/|$)", "/*"));
    return response.body();
  }

  private static void none(ValidationReport report) {
    assertFalse(report.hasErrors(), () -> report.getMessages().toString());
  }

  private static String found(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertEquals(true, matcher.find(), text);
    return matcher.group(1);
  }

  @Test
  void everyPathDoesWhatItsDescriptionSays() throws Exception {
    String attributes =
        "{\"attributes\": [{\"name\": \"station\", \"type\": \"text\", \"indexed\": true},"
            + " {\"name\": \"gain\", \"type\": \"decimal\", \"default\": 1}]}";
    call(true, 200, "PUT", "/v1/types/sensor", null, attributes);
    call(true, 200, "GET", "/v1/types/sensor", null, null);
    call(true, 404, "GET", "/v1/types/nothing", null, null);
    call(true, 200, "GET", "/v1/types", null, null);
    call(false, 400, "PUT", "/v1/types/sensor", null, "{\"attributes\": []}");
    String create = "{\"type\": \"sensor\", \"values\": {\"station\": \"north\"}}";
    String id = found("\"id\":(\\d+)", call(true, 201, "POST", "/v1/objects", null, create));
    call(false, 400, "POST", "/v1/objects", null, "{\"type\": \"sensor\"}");
    String batch =
        "{\"type\": \"sensor\", \"values\": [{\"station\": \"a\"}, {\"station\": \"b\"}]}";
    call(true, 201, "POST", "/v1/objects/batch", null, batch);
    call(true, 200, "POST", "/v1/objects/list", null, "{\"ids\": [" + id + "]}");
    call(true, 200, "GET", "/v1/objects/" + id, "version=1", null);
    call(true, 404, "GET", "/v1/objects/" + id, "version=7", null);
    String update = "{\"base\": 1, \"changes\": {\"gain\": 2.5}}";
    call(true, 201, "POST", "/v1/objects/" + id + "/versions", null, update);
    call(true, 409, "POST", "/v1/objects/" + id + "/versions", null, update);
    String link = "{\"source\": " + id + ", \"name\": \"self\", \"target\": " + id + "}";
    call(true, 204, "PUT", "/v1/links", null, link);
    call(true, 200, "GET", "/v1/objects/" + id + "/links", "incoming=true&limit=5", null);
    call(true, 200, "GET", "/v1/discovery", "type=sensor&attribute=station&from=a&to=z", null);
    call(false, 400, "GET", "/v1/discovery", "type=sensor&limit=0", null);
    String group = "{\"changes\": [{\"create\": " + create + "}]}";
    String ticket =
        found("\"ticket\":\"(\\d+)\"", call(true, 202, "POST", "/v1/groups", null, group));
    call(true, 200, "GET", "/v1/groups/" + ticket, "wait_ms=5000", null);
    call(true, 404, "GET", "/v1/groups/" + ticket, null, null);
    String file =
        "<metadata xmlns=\"urn:modelstress:metadata:1\"><object type=\"sensor\"><value"
            + " name=\"station\">x</value></object></metadata>";
    call(true, 200, "POST", "/v1/exchange", null, file);
    call(true, 400, "POST", "/v1/exchange", null, "<metadata/>");
    assertEquals(description, call(true, 200, "GET", "/v1/openapi.yaml", null, null));

    Set<String> served = new TreeSet<>(new Routes(local).all().keySet());
    served.add("POST /v1/exchange");
    served.add("GET /v1/openapi.yaml");
    assertEquals(served, CALLED, "what is served was called, and is described");
    int described = 0;
    for (String line : description.split("\n")) {
      described += line.startsWith("      operationId: ") ? 1 : 0;
    }
    assertEquals(served.size(), described, "what is described is served");
  }
}
