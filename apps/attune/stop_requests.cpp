#include "stop_requests.hpp"

#include <unistd.h>

#include <csignal>

#include "apps/terminal/live_line.hpp"
#include "command.hpp"

namespace attune::cli {
namespace {

void on_signal(int) {
  if (stop_requests.fetch_add(1) < 2) return;
  erase_live_line();
  _exit(exit_interrupted);
}

}  // namespace

std::atomic<int> stop_requests{0};

void catch_signals() { catch_unless_ignored(on_signal); }

void catch_unless_ignored(void (*handler)(int)) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction present {};
    sigaction(number, nullptr, &present);
    if (present.sa_handler != SIG_IGN) std::signal(number, handler);
  }
}

}  // namespace attune::cli
