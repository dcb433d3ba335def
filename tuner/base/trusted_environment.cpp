#include "base/trusted_environment.hpp"

#include <sys/auxv.h>

#include <cstdlib>

namespace attune {

bool is_environment_trusted() { return getauxval(AT_SECURE) == 0; }

std::optional<std::string> trusted_environment(const char* name) {
  if (!is_environment_trusted()) return {};
  const char* const value = std::getenv(name);
  if (value == nullptr || *value == '\0') return {};
  return value;
}

}  // namespace attune
