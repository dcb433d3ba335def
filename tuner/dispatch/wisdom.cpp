#include "dispatch/wisdom.hpp"

#include <fmt/format.h>

#include <exception>

#include "core/counted.hpp"
#include "db/wisdom_failure.hpp"

namespace attune {
namespace {

// Applications look up while they start: a default serves until the file is free.
constexpr double lock_wait_seconds = 0.1;
// While the database is locked, it is asked again after this: not once for each kernel.
constexpr std::chrono::seconds locked_pause{1};

}  // namespace

Wisdom::Wisdom(std::optional<std::filesystem::path> database, Warnings& warnings)
    : database_(std::move(database)), warnings_(warnings) {}

std::optional<Candidates> Wisdom::candidates(const MatchRequest& request, Reach reach) {
  if (!database_) return Candidates();
  if (Clock::now() < ask_again_.load()) return std::nullopt;
  try {
    Candidates found = WisdomReader(*database_, lock_wait_seconds).candidates(request, reach);
    if (found.damaged > 0)
      warnings_.warn(fmt::format("{} of {} in {} left out (tune again, or remove the file)",
                                 counted(static_cast<std::int64_t>(found.damaged), "damaged record"),
                                 request.spec.name, database_->string()));
    return found;
  } catch (const DatabaseLocked& failure) {
    warnings_.warn(
        fmt::format("no wisdom is read from {} yet: {}; using defaults", database_->string(), failure.what()));
    ask_again_ = Clock::now() + locked_pause;
    return std::nullopt;
  } catch (const std::exception& failure) {
    warnings_.warn(fmt::format("no wisdom is read from {}: {}; using defaults", database_->string(), failure.what()));
    return Candidates();
  }
}

}  // namespace attune
