#include "failures.hpp"

#include "errors.hpp"

namespace modelstress {

namespace {
constexpr std::size_t MOST = 100, LONGEST = 2000;
constexpr const char* CLIENT_FAULT = "client: ";  // no local ports are left
}  // namespace

void Failures::add(const std::string& operation, Kind outcome, const std::string& message) {
  std::string text = message.empty() ? "(the driver gave no reason)" : one_line(message);
  const bool ports = text.find("Cannot assign requested address") != std::string::npos;
  if (ports && text.rfind(CLIENT_FAULT, 0) != 0) text = CLIENT_FAULT + text;
  if (text.size() > LONGEST) text = text.substr(0, LONGEST) + "...";
  const Failure failure{operation, word(outcome), text};
  const std::lock_guard guard(lock_);
  if (seen_.size() < MOST && seen_.insert(failure).second) untold_.push_back(failure);
}

std::optional<Failure> Failures::poll() {
  const std::lock_guard guard(lock_);
  if (untold_.empty()) return std::nullopt;
  Failure failure = untold_.front();
  untold_.pop_front();
  return failure;
}

}  // namespace modelstress
