// What ends a program with a sentence, and its exit codes (docs/contracts.md).
#pragma once

#include <stdexcept>
#include <string>

namespace modelstress {

enum ExitCode {
  WRONG_ARGUMENTS = 2,
  BUSY_ADDRESS = 5,
  INTERNAL = 6,
  FILE_FULL = 7,
  TERMINATED = 143
};

/** Arguments or a file that make no sense; the message is one sentence that says what to do. */
struct ConfigError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/** There is no room for more samples. */
struct FileFullError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/** An execution or the opening of a session that the tool did not answer in time. */
struct TimeoutError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/** Prints the last line of standard error, `error: …`, without line breaks within it. */
void print_error(const std::string& message);

/** A sentence for the exception that is being handled. */
std::string current_message();

}  // namespace modelstress
