// Standard input and output for the conversation alone (docs/contracts.md, "Client program").
#pragma once

#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace modelstress {

/** What anything else prints goes to standard error, and nothing else reads standard input. */
class Console {
 public:
  Console();
  /** Says one line; a controller that has gone is noticed by the end of its lines. */
  void say(const std::string& word, const nlohmann::json& fields);
  /** The next line of the controller; nothing at the end of its lines. */
  std::optional<std::string> read();

 private:
  std::mutex lock_;
  int in_, out_;
  std::string rest_;
};

}  // namespace modelstress
