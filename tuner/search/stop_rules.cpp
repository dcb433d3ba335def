#include "search/stop_rules.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>

#include "attune/error.hpp"

namespace attune {
namespace {

struct Unit {
  std::string_view name;
  Target::Kind kind;
  double scale;
};
constexpr std::array<Unit, 5> units = {{{"ns", Target::Kind::time, 1},
                                        {"us", Target::Kind::time, 1e3},
                                        {"ms", Target::Kind::time, 1e6},
                                        {"s", Target::Kind::time, 1e9},
                                        {"x", Target::Kind::speedup, 1}}};

}  // namespace

bool Target::met(double nanoseconds, double speedup) const noexcept {
  return kind == Kind::time ? nanoseconds > 0 && nanoseconds <= value : speedup >= value;
}

Target parse_target(std::string_view text) {
  const std::string given(text);
  char* end = nullptr;
  const double number = std::strtod(given.c_str(), &end);
  for (const Unit& unit : units) {
    const double value = number * unit.scale;
    if (end != given.c_str() && unit.name == end && std::isfinite(value) && value > 0) return {unit.kind, value};
  }
  throw UsageError("a target is a time such as 1.2ms, or a ratio such as 2x (twice as fast as the default), not `" +
                   given + "`");
}

std::string to_text(const Target& target) {
  if (target.kind == Target::Kind::speedup) return fmt::format("{}x", target.value);
  const Unit* best = &units.front();
  for (const Unit& unit : units) {
    if (unit.kind == Target::Kind::time && target.value >= unit.scale) best = &unit;
  }
  return fmt::format("{:.6g}{}", target.value / best->scale, best->name);
}

std::optional<Ending> Budget::reached(const SearchUse& spent) const noexcept {
  if (target && target->met(spent.best_ns, spent.speedup)) return Ending::target;
  if (patience && spent.idle_trials >= *patience) return Ending::patience;
  if (trials && spent.trials >= *trials) return Ending::trials;
  if (seconds && spent.seconds >= *seconds) return Ending::time;
  return std::nullopt;
}

void Improvement::see(double objective) noexcept {
  if (reference_ > 0) ++idle_;
  know(objective);
}

void Improvement::know(double objective) noexcept {
  if (objective <= 0 || (reference_ > 0 && objective > (1 - least_gain) * reference_)) return;
  reference_ = objective;
  idle_ = 0;
}

}  // namespace attune
