// What ends a program with a sentence, and its exit codes (docs/contracts.md).
#pragma once

#include <signal.h>

#include <functional>
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

/** Ends the program with its exit code; the message is one sentence that says what to do. */
struct EndingError : std::runtime_error {
  EndingError(ExitCode code, const std::string& message)
      : std::runtime_error(message), code(code) {}
  const ExitCode code;
};

/** Arguments or a file that make no sense. */
struct ConfigError : EndingError {
  explicit ConfigError(const std::string& message) : EndingError(WRONG_ARGUMENTS, message) {}
};

/** An address or a port that is in use, or that this computer does not have. */
struct AddressError : EndingError {
  explicit AddressError(const std::string& message) : EndingError(BUSY_ADDRESS, message) {}
};

/** There is no room for more samples. */
struct FileFullError : EndingError {
  explicit FileFullError(const std::string& message) : EndingError(FILE_FULL, message) {}
};

/** An execution or the opening of a session that the tool did not answer in time. */
struct TimeoutError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/** Text with blanks instead of line breaks and other control characters. */
std::string one_line(std::string text);

/** Prints the last line of standard error, `error: …`, without line breaks within it. */
void print_error(const std::string& message);

/** A sentence for the exception that is being handled. */
std::string current_message();

/**
 * Ends the process with the exit code of what a function raises, before anything is destroyed:
 * threads that are left behind keep neither the process nor what they use.
 */
[[noreturn]] void end_after(const std::function<void()>& function);

/** Blocks SIGTERM and SIGINT in all threads to come, for one that waits for them. */
sigset_t block_ending_signals();

}  // namespace modelstress
