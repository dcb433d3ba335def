// Starts threads, and reports threads and processes that the system refuses to start.
#pragma once

#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "attune/error.hpp"

namespace attune {

// Returns the error of a thread or process that did not start: why, what limits them, and the next step.
Error not_started(const std::string& what, int system_error);

// Starts a Thread (std::thread, std::jthread) that runs `work`. Throws Error.
template <typename Thread, typename Work>
Thread start_thread(Work work) {
  try {
    return Thread(std::move(work));
  } catch (const std::system_error& error) {
    throw not_started("a thread", error.code().value());
  }
}

}  // namespace attune
