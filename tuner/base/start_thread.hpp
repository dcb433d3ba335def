// Starts threads, and reports threads and processes that the system refuses to start.
#pragma once

#include <csignal>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "attune/error.hpp"

namespace attune {

// While it lives, blocks all signals on its thread and on the threads that this thread starts: those of the process are
// for the application's threads.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &former_, nullptr); }

 private:
  sigset_t former_;
};

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
