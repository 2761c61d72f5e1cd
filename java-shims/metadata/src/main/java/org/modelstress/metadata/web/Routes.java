package org.modelstress.metadata.web;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.modelstress.metadata.objects.Attribute;
import org.modelstress.metadata.objects.Discovery;
import org.modelstress.metadata.objects.Limits;
import org.modelstress.metadata.objects.Link;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataObject;
import org.modelstress.metadata.objects.ObjectType;
import org.modelstress.metadata.objects.TypeDefinition;
import org.modelstress.metadata.service.Change;
import org.modelstress.metadata.service.Changed;
import org.modelstress.metadata.service.MetadataService;
import org.modelstress.metadata.web.Call.Answer;

/** The paths of the web API: each is a call of the service. */
final class Routes {
  /** How long a client may wait for a group of changes, ms. */
  static final int WAIT_MILLIS = 20_000;

  private final MetadataService service;

  Routes(MetadataService service) {
    this.service = service;
  }

  /** By method and path; {@code *} is a variable part. */
  Map<String, Call.Route> all() {
    return Map.ofEntries(
        Map.entry("GET /v1/types", this::types),
        Map.entry("GET /v1/types/*", call -> Answer.ok(Json.write(service.type(call.part())))),
        Map.entry("PUT /v1/types/*", this::define),
        Map.entry("POST /v1/objects", this::create),
        Map.entry("POST /v1/objects/batch", this::createAll),
        Map.entry("POST /v1/objects/list", this::getAll),
        Map.entry("GET /v1/objects/*", this::get),
        Map.entry("POST /v1/objects/*/versions", this::update),
        Map.entry("GET /v1/objects/*/links", this::links),
        Map.entry("PUT /v1/links", this::link),
        Map.entry("GET /v1/discovery", this::discover),
        Map.entry("POST /v1/groups", this::submit),
        Map.entry("GET /v1/groups/*", this::await));
  }

  private Answer types(Call call) throws MetadataException {
    ObjectNode json = Json.object();
    ArrayNode names = json.putArray("types");
    service.types().forEach(names::add);
    return Answer.ok(json);
  }

  private Answer define(Call call) throws MetadataException {
    List<Attribute> attributes = TypeDefinition.read(call.json("attributes").path("attributes"));
    return Answer.ok(Json.write(service.define(call.part(), attributes)));
  }

  private Answer create(Call call) throws MetadataException {
    JsonNode json = call.json("type", "values");
    MetadataObject made = service.create(Json.text(json, "type"), Json.values(json.path("values")));
    return Answer.created(Json.write(made));
  }

  private Answer createAll(Call call) throws MetadataException {
    JsonNode json = call.json("type", "values");
    String type = Json.text(json, "type");
    JsonNode list = json.path("values");
    if (!list.isArray() || list.size() > Limits.BATCH) {
      throw MetadataException.invalid("field values is no list of at most " + Limits.BATCH);
    }
    List<Map<String, Object>> values = new ArrayList<>(list.size());
    for (JsonNode each : list) {
      values.add(Json.values(each));
    }
    return Answer.created(Json.ids(service.createAll(type, values)));
  }

  private Answer getAll(Call call) throws MetadataException {
    ObjectNode json = Json.object();
    ArrayNode objects = json.putArray("objects");
    service.getAll(Json.ids(call.json("ids"))).forEach(one -> objects.add(Json.write(one)));
    return Answer.ok(json);
  }

  private Answer get(Call call) throws MetadataException {
    long id = call.id();
    int version = call.number("version", 0, 0, Integer.MAX_VALUE);
    return Answer.ok(Json.write(version == 0 ? service.get(id) : service.get(id, version)));
  }

  private Answer update(Call call) throws MetadataException {
    JsonNode json = call.json("base", "changes");
    long id = call.id();
    int base = Json.version(json, "base");
    MetadataObject made = service.update(id, base, Json.values(json.path("changes")));
    return Answer.created(Json.write(made));
  }

  private Answer links(Call call) throws MetadataException {
    List<Link> found =
        service.links(call.id(), call.truth("incoming"), call.text("name"), limit(call));
    ObjectNode json = Json.object();
    ArrayNode links = json.putArray("links");
    found.forEach(link -> links.add(Json.write(link)));
    return Answer.ok(json);
  }

  private static int limit(Call call) throws MetadataException {
    return call.number("limit", 100, 1, Limits.FOUND);
  }

  private Answer link(Call call) throws MetadataException {
    service.link(Json.link(call.json("source", "name", "target")));
    return new Answer(204, null);
  }

  private Answer discover(Call call) throws MetadataException {
    ObjectType type = service.type(call.required("type"));
    String name = call.text("attribute");
    String value = call.text("value");
    String from = call.text("from");
    String to = call.text("to");
    if (name == null) {
      if (value != null || from != null || to != null) {
        throw MetadataException.invalid("parameter attribute is missing");
      }
      return Answer.ok(Json.ids(service.discover(Discovery.all(type.name(), limit(call)))));
    }
    if (value != null && (from != null || to != null)) {
      throw MetadataException.invalid("give either parameter value, or from and to, or none");
    }
    Attribute attribute = type.attributes().get(type.place(name));
    return Answer.ok(
        Json.ids(
            service.discover(
                new Discovery(
                    type.name(),
                    name,
                    parsed(attribute, value == null ? from : value),
                    parsed(attribute, value == null ? to : value),
                    limit(call)))));
  }

  private static Object parsed(Attribute attribute, String text) throws MetadataException {
    return text == null ? null : attribute.type().parse(text);
  }

  private Answer submit(Call call) throws MetadataException {
    JsonNode list = call.json("changes").path("changes");
    if (!list.isArray() || list.size() > Limits.BATCH) {
      throw MetadataException.invalid("field changes is no list of at most " + Limits.BATCH);
    }
    List<Change> group = new ArrayList<>(list.size());
    for (JsonNode each : list) {
      group.add(change(each));
    }
    return new Answer(202, ticket(service.submit(group)));
  }

  /** Tickets are text: JSON of browsers has no 64 bits. */
  private static ObjectNode ticket(long ticket) {
    return Json.object().put("ticket", Long.toString(ticket));
  }

  private static Change change(JsonNode json) throws MetadataException {
    Json.only(json, List.of("create", "update"));
    if (json.size() != 1) {
      throw MetadataException.invalid("a change is either create or update");
    }
    if (json.has("create")) {
      JsonNode create = json.get("create");
      Json.only(create, List.of("type", "values"));
      return new Change.Create(Json.text(create, "type"), Json.values(create.path("values")));
    }
    JsonNode update = json.get("update");
    Json.only(update, List.of("id", "base", "changes"));
    long id = Json.number(update, "id");
    int base = Json.version(update, "base");
    return new Change.Update(id, base, Json.values(update.path("changes")));
  }

  private Answer await(Call call) throws MetadataException {
    long id = call.id();
    List<Changed> changed = service.await(id, call.number("wait_ms", 0, 0, WAIT_MILLIS));
    return changed == null ? new Answer(202, ticket(id)) : Answer.ok(Json.changed(changed));
  }
}
