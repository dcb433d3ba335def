#include "stop_requests.hpp"

#include <unistd.h>

#include <csignal>

#include "command.hpp"

namespace attune::cli {
namespace {

void on_signal(int) {
  if (stop_requests.fetch_add(1) >= 2) _exit(exit_interrupted);
}

}  // namespace

std::atomic<int> stop_requests{0};

void catch_signals() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  std::signal(SIGHUP, on_signal);
}

}  // namespace attune::cli
