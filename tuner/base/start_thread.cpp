#include "base/start_thread.hpp"

#include <cerrno>
#include <cstring>

namespace attune {

Error not_started(const std::string& what, int system_error) {
  const bool is_limited = system_error == EAGAIN || system_error == ENOMEM;
  return Error("cannot start " + what + ": " + std::strerror(system_error) +
               (is_limited ? "; this user or process may have no more (`ulimit -u`, `ulimit -v`, `ulimit -d`): raise "
                             "the limit or end other programs, then try again"
                           : ""));
}

}  // namespace attune
