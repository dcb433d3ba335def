#include "db/lock_wait.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "attune/error.hpp"
#include "base/trusted_environment.hpp"

namespace attune {

double lock_wait_seconds(double otherwise) {
  constexpr double longest = 3600;
  const auto text = trusted_environment("ATTUNE_DB_WAIT");
  if (!text) return otherwise;
  double seconds = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), seconds);
  if (error != std::errc() || end != text->data() + text->size() || !(seconds >= 0))
    throw UsageError(fmt::format("ATTUNE_DB_WAIT={} is not a number of seconds", *text));
  return std::min(seconds, longest);
}

}  // namespace attune
