// Reads JSON objects strictly: every field is known, of its type and within its bounds.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace modelstress {

/** Reads a file as a JSON object, 64 MiB at most. Raises ConfigError. */
nlohmann::json read_object(const std::string& path);

/** Fields of a JSON object, each asked for by its name; `finish` refuses those nobody asked for. */
class Fields {
 public:
  /** Raises ConfigError where it is no object. */
  Fields(const nlohmann::json& object, std::string where);

  bool has(const std::string& name);
  /** The field. Raises ConfigError where it is missing. */
  const nlohmann::json& any(const std::string& name);
  std::string text(const std::string& name);
  std::string word(const std::string& name, const std::set<std::string>& words);
  std::int64_t whole(const std::string& name, std::int64_t least, std::int64_t most);
  double number(const std::string& name, double least, double most);
  bool flag(const std::string& name);
  const nlohmann::json& object(const std::string& name);
  const nlohmann::json& list(const std::string& name);
  void finish() const;
  [[noreturn]] void refuse(const std::string& name, const std::string& what) const;

 private:
  const nlohmann::json& object_;
  std::string where_;
  std::set<std::string> asked_;
};

}  // namespace modelstress
