#include "fields.hpp"

#include <filesystem>
#include <fstream>

#include "errors.hpp"

namespace modelstress {

using nlohmann::json;

namespace {
constexpr std::uintmax_t MOST_BYTES = 64 << 20;
constexpr int MOST_DEPTH = 64;

/** Parses text; deeper nesting than files of ours have is refused before it costs anything. */
json parse(const std::string& text) {
  return json::parse(text, [](int depth, json::parse_event_t, json&) {
    if (depth > MOST_DEPTH) throw ConfigError("it is nested too deeply");
    return true;
  });
}
}  // namespace

json read_object(const std::string& path) {
  std::error_code none;
  const auto size = std::filesystem::file_size(path, none);
  if (none) throw ConfigError(path + ": cannot be read: " + none.message());
  if (size > MOST_BYTES) throw ConfigError(path + ": is larger than 64 MiB");
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  try {
    json found = parse(text);
    if (!found.is_object()) throw ConfigError("it is no object");
    return found;
  } catch (const std::exception& error) {
    throw ConfigError(path + ": is not JSON that is understood: " + error.what());
  }
}

Fields::Fields(const json& object, std::string where) : object_(object), where_(std::move(where)) {
  if (!object.is_object()) throw ConfigError(where_ + ": must be an object");
}

void Fields::refuse(const std::string& name, const std::string& what) const {
  throw ConfigError(where_ + ": " + name + " " + what);
}

bool Fields::has(const std::string& name) {
  asked_.insert(name);
  const auto found = object_.find(name);
  return found != object_.end() && !found->is_null();
}

const json& Fields::any(const std::string& name) {
  if (!has(name)) refuse(name, "is missing");
  return object_.at(name);
}

std::string Fields::text(const std::string& name) {
  const json& value = any(name);
  if (!value.is_string()) refuse(name, "must be a text");
  return value.get<std::string>();
}

std::string Fields::word(const std::string& name, const std::set<std::string>& words) {
  const std::string value = text(name);
  if (words.count(value)) return value;
  std::string all;
  for (const auto& one : words) all += (all.empty() ? "" : ", ") + one;
  refuse(name, "is '" + value + "'; it must be one of " + all);
}

std::int64_t Fields::whole(const std::string& name, std::int64_t least, std::int64_t most) {
  const json& value = any(name);
  const bool small = value.is_number_integer() &&
                     (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
  if (!small || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most) {
    refuse(name, "must be a whole number from " + std::to_string(least) + " to " +
                     std::to_string(most) + ", not " + value.dump());
  }
  return value.get<std::int64_t>();
}

double Fields::number(const std::string& name, double least, double most) {
  const json& value = any(name);
  if (!value.is_number() || value.get<double>() < least || value.get<double>() > most) {
    refuse(name, "must be a number from " + json(least).dump() + " to " + json(most).dump() +
                     ", not " + value.dump());
  }
  return value.get<double>();
}

bool Fields::flag(const std::string& name) {
  const json& value = any(name);
  if (!value.is_boolean()) refuse(name, "must be true or false");
  return value.get<bool>();
}

const json& Fields::object(const std::string& name) {
  const json& value = any(name);
  if (!value.is_object()) refuse(name, "must be an object");
  return value;
}

const json& Fields::list(const std::string& name) {
  const json& value = any(name);
  if (!value.is_array() || value.empty()) refuse(name, "must be a list that is not empty");
  return value;
}

void Fields::finish() const {
  for (const auto& [name, value] : object_.items()) {
    if (!asked_.count(name)) refuse(name, "is not known here");
  }
}

}  // namespace modelstress
