#include "errors.hpp"

#include <unistd.h>

#include <iostream>

namespace modelstress {

std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return text;
}

void print_error(const std::string& message) {
  std::cerr << "error: " << one_line(message) << std::endl;
}

std::string current_message() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "something that is no std::exception was thrown";
  }
}

void end_after(const std::function<void()>& function) {
  int code = 0;
  try {
    function();
  } catch (const EndingError& error) {
    code = error.code;
    print_error(error.what());
  } catch (...) {
    code = INTERNAL;
    print_error("unexpected: " + current_message());
  }
  std::cerr.flush();
  _exit(code);
}

sigset_t block_ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // all threads inherit it
  signal(SIGPIPE, SIG_IGN);
  return signals;
}

}  // namespace modelstress
