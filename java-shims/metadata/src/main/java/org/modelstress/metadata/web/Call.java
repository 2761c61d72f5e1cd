package org.modelstress.metadata.web;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.modelstress.metadata.objects.Limits;
import org.modelstress.metadata.objects.MetadataException;

/** A request of the web API, and what it was answered. */
final class Call {
  private final String part;
  private final Map<String, String> query;
  private final byte[] body;
  private final Set<String> used = new HashSet<>();

  /**
   * A request.
   *
   * @param part what stands for the variable part of its route; null where it has none
   * @param query its parameters
   */
  Call(String part, Map<String, String> query, byte[] body) {
    this.part = part;
    this.query = query;
    this.body = body;
  }

  /**
   * An answer.
   *
   * @param body null: none
   */
  record Answer(int status, JsonNode body) {
    static Answer ok(JsonNode body) {
      return new Answer(200, body);
    }

    static Answer created(JsonNode body) {
      return new Answer(201, body);
    }
  }

  /** Answers a request. */
  @FunctionalInterface
  interface Route {
    Answer answer(Call call) throws MetadataException;
  }

  JsonNode json(String... fields) throws MetadataException {
    JsonNode json = Json.read(body);
    Json.only(json, List.of(fields));
    return json;
  }

  String part() {
    return part;
  }

  /** The variable part of the path as an identifier; what is none belongs to nothing. */
  long id() throws MetadataException {
    return number(part(), "identifier");
  }

  private static long number(String text, String what) throws MetadataException {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw MetadataException.invalid("'" + Limits.shortened(text) + "' is no " + what);
    }
  }

  /** A parameter; null where it is not there. */
  String text(String name) {
    used.add(name);
    return query.get(name);
  }

  String required(String name) throws MetadataException {
    String text = text(name);
    if (text == null) {
      throw MetadataException.invalid("parameter " + name + " is missing");
    }
    return text;
  }

  int number(String name, int fallback, int least, int most) throws MetadataException {
    String text = text(name);
    long number = text == null ? fallback : number(text, "whole number");
    if (number < least || number > most) {
      throw MetadataException.invalid(
          "parameter " + name + " is " + least + " to " + most + ", not " + number);
    }
    return (int) number;
  }

  boolean truth(String name) throws MetadataException {
    String text = text(name);
    if (text != null && !text.equals("true") && !text.equals("false")) {
      throw MetadataException.invalid("parameter " + name + " is true or false");
    }
    return "true".equals(text);
  }

  /** Refuses parameters that nobody asked for. */
  void end() throws MetadataException {
    for (String name : query.keySet()) {
      if (!used.contains(name)) {
        throw MetadataException.invalid(
            "there is no parameter '" + Limits.shortened(name) + "'; there are " + used);
      }
    }
  }
}
