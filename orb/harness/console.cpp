#include "console.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace modelstress {

namespace {
constexpr std::size_t LONGEST_LINE = 1 << 20;
}

Console::Console()
    : in_(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)), out_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) {
  dup2(STDERR_FILENO, STDOUT_FILENO);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  close(nothing);
}

void Console::say(const std::string& word, const nlohmann::json& fields) {
  // messages of drivers need not be UTF-8
  const std::string line =
      word + " " + fields.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
  const std::lock_guard guard(lock_);
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t written = write(out_, line.data() + done, line.size() - done);
    if (written < 0 && errno != EINTR) return;
    if (written > 0) done += static_cast<std::size_t>(written);
  }
}

std::optional<std::string> Console::read() {
  while (true) {
    const auto end = rest_.find('\n');
    if (end != std::string::npos) {
      const std::string line = rest_.substr(0, end);
      rest_.erase(0, end + 1);
      return line;
    }
    char buffer[4096];
    const ssize_t got = ::read(in_, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || rest_.size() > LONGEST_LINE) return std::nullopt;
    rest_.append(buffer, static_cast<std::size_t>(got));
  }
}

}  // namespace modelstress
