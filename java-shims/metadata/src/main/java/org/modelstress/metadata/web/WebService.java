package org.modelstress.metadata.web;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.modelstress.metadata.objects.Attribute;
import org.modelstress.metadata.objects.Discovery;
import org.modelstress.metadata.objects.Link;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataException.Reason;
import org.modelstress.metadata.objects.MetadataObject;
import org.modelstress.metadata.objects.ObjectType;
import org.modelstress.metadata.objects.TypeDefinition;
import org.modelstress.metadata.service.Change;
import org.modelstress.metadata.service.Changed;
import org.modelstress.metadata.service.MetadataService;

/** The service over the web; of one client thread at a time. */
public final class WebService implements MetadataService {
  private static final long WAIT_MILLIS = 1_000; // more than a server and a network need besides

  private final HttpClient http;
  private final URI root;
  private final Map<String, ObjectType> types;
  private final Duration timeout;
  private long sent;
  private long received;

  /** What all clients of a process have in common: connections, and types of objects they know. */
  public static final class Shared {
    private final HttpClient http;
    private final Map<String, ObjectType> types = new ConcurrentHashMap<>();

    /**
     * Begins without connections.
     *
     * @param connectMillis how long a connection may take
     */
    public Shared(long connectMillis) {
      http =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .connectTimeout(Duration.ofMillis(connectMillis))
              .build();
    }
  }

  /**
   * A client.
   *
   * @param root address of the server
   * @param timeoutMillis of a call
   */
  public WebService(Shared shared, URI root, long timeoutMillis) {
    this.http = shared.http;
    this.types = shared.types;
    this.root = root;
    this.timeout = Duration.ofMillis(timeoutMillis);
  }

  /** Bytes of bodies sent since the last call of this, and received: two numbers. */
  public long[] takeTraffic() {
    long[] traffic = {sent, received};
    sent = 0;
    received = 0;
    return traffic;
  }

  private JsonNode get(String path) throws MetadataException {
    return ask(request(path, timeout).GET());
  }

  private JsonNode send(String method, String path, JsonNode body) throws MetadataException {
    byte[] bytes = Json.bytes(body);
    sent += bytes.length;
    return ask(
        request(path, timeout)
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofByteArray(bytes)));
  }

  private HttpRequest.Builder request(String path, Duration within) {
    return HttpRequest.newBuilder(root.resolve(path)).timeout(within);
  }

  private JsonNode ask(HttpRequest.Builder request) throws MetadataException {
    HttpResponse<byte[]> response;
    try {
      response = http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    } catch (HttpTimeoutException e) {
      throw new MetadataException(Reason.TIMEOUT, "no answer came in time", e);
    } catch (IOException e) {
      String reason = e.getMessage() == null ? e.toString() : e.getMessage();
      throw new MetadataException(Reason.FAILED, "the service cannot be reached: " + reason, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MetadataException(Reason.TIMEOUT, "waiting for an answer was interrupted", e);
    }
    received += response.body().length;
    if (response.statusCode() == 204) {
      return Json.object();
    }
    JsonNode json = Json.read(response.body());
    if (response.statusCode() >= 300) {
      throw new MetadataException(
          reason(json.path("reason").asText()), json.path("message").asText());
    }
    return json;
  }

  private static Reason reason(String word) {
    try {
      return Reason.valueOf(word.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      return Reason.FAILED;
    }
  }

  private static String quoted(String part) {
    return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
  }

  @Override
  public ObjectType define(String name, List<Attribute> attributes) throws MetadataException {
    ObjectNode body = Json.object();
    body.set("attributes", TypeDefinition.json(attributes));
    return keep(Json.type(send("PUT", "/v1/types/" + quoted(name), body)));
  }

  private ObjectType keep(ObjectType type) {
    types.put(type.name(), type);
    return type;
  }

  @Override
  public ObjectType type(String name) throws MetadataException {
    return keep(Json.type(get("/v1/types/" + quoted(name))));
  }

  @Override
  public List<String> types() throws MetadataException {
    List<String> names = new ArrayList<>();
    get("/v1/types").path("types").forEach(name -> names.add(name.asText()));
    return names;
  }

  private MetadataObject object(JsonNode json) throws MetadataException {
    String name = json.path("type").asText();
    ObjectType known = name.equals(ObjectType.TYPE.name()) ? ObjectType.TYPE : types.get(name);
    if (known == null || known.version() < json.path("type_version").asInt()) {
      known = type(name);
    }
    return Json.metadataObject(json, known);
  }

  @Override
  public MetadataObject create(String type, Map<String, Object> values) throws MetadataException {
    ObjectNode body = Json.object().put("type", type);
    body.set("values", Json.write(values));
    return object(send("POST", "/v1/objects", body));
  }

  @Override
  public List<Long> createAll(String type, List<Map<String, Object>> values)
      throws MetadataException {
    ObjectNode body = Json.object().put("type", type);
    ArrayNode list = body.putArray("values");
    values.forEach(each -> list.add(Json.write(each)));
    return Json.ids(send("POST", "/v1/objects/batch", body));
  }

  @Override
  public MetadataObject update(long id, int base, Map<String, Object> changes)
      throws MetadataException {
    ObjectNode body = Json.object().put("base", base);
    body.set("changes", Json.write(changes));
    return object(send("POST", "/v1/objects/" + id + "/versions", body));
  }

  @Override
  public MetadataObject get(long id) throws MetadataException {
    return object(get("/v1/objects/" + id));
  }

  @Override
  public MetadataObject get(long id, int version) throws MetadataException {
    return object(get("/v1/objects/" + id + "?version=" + version));
  }

  @Override
  public List<MetadataObject> getAll(List<Long> ids) throws MetadataException {
    List<MetadataObject> objects = new ArrayList<>();
    for (JsonNode each : send("POST", "/v1/objects/list", Json.ids(ids)).path("objects")) {
      objects.add(object(each));
    }
    return objects;
  }

  @Override
  public void link(Link link) throws MetadataException {
    send("PUT", "/v1/links", Json.write(link));
  }

  @Override
  public List<Link> links(long id, boolean incoming, String name, int limit)
      throws MetadataException {
    String path =
        "/v1/objects/"
            + id
            + "/links?incoming="
            + incoming
            + "&limit="
            + limit
            + (name == null ? "" : "&name=" + quoted(name));
    List<Link> links = new ArrayList<>();
    for (JsonNode each : get(path).path("links")) {
      links.add(Json.link(each));
    }
    return links;
  }

  @Override
  public List<Long> discover(Discovery discovery) throws MetadataException {
    StringBuilder path = new StringBuilder("/v1/discovery?type=").append(quoted(discovery.type()));
    path.append("&limit=").append(discovery.limit());
    if (discovery.attribute() != null) {
      path.append("&attribute=").append(quoted(discovery.attribute()));
      append(path, "from", discovery.from());
      append(path, "to", discovery.to());
    }
    return Json.ids(get(path.toString()));
  }

  private static void append(StringBuilder path, String name, Object value) {
    if (value != null) {
      path.append('&').append(name).append('=').append(quoted(value.toString()));
    }
  }

  @Override
  public long submit(List<Change> group) throws MetadataException {
    ObjectNode body = Json.object();
    ArrayNode changes = body.putArray("changes");
    group.forEach(change -> changes.add(Json.write(change)));
    return Long.parseLong(send("POST", "/v1/groups", body).path("ticket").asText());
  }

  @Override
  public List<Changed> await(long ticket, long millis) throws MetadataException {
    long wait = Math.min(millis, Routes.WAIT_MILLIS);
    String path = "/v1/groups/" + ticket + "?wait_ms=" + wait;
    JsonNode json = ask(request(path, Duration.ofMillis(wait + WAIT_MILLIS)).GET());
    return json.has("changed") ? Json.changed(json) : null;
  }

  @Override
  public void close() {
    // connections are everybody's
  }
}
