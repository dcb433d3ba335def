#include "kernel/near_miss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/counted.hpp"
#include "kernel/legality.hpp"
#include "kernel/nearness.hpp"

namespace attune {
namespace {

// What keeps a record from serving, the nearest to success first.
enum class Obstacle { illegal, size, regime, objective, names, capability, kind, contract, code };

Obstacle obstacle_of(const MatchRequest& request, const Record& record) {
  const RecordKey& key = record.key;
  const Fingerprints& own = request.spec.fingerprints;
  if (key.code != own.code) return Obstacle::code;
  if (key.contract != own.contract) return Obstacle::contract;
  if (kind_of(key.device_class) != request.device.kind) return Obstacle::kind;
  if (key.objective != request.objective) return Obstacle::objective;
  const bool same_device = key.device_class == request.device.class_key();
  if (!same_device && record.compute_capability != request.device.compute_capability) return Obstacle::capability;
  const ProblemDistance apart = problem_distance(request.spec, request.problem, key.problem);
  if (apart.differing > 0) return Obstacle::names;
  const bool same = same_problem(request.problem, key.problem);
  if (same_device ? !apart.within_factor_2 : !same) return Obstacle::size;
  if (key.regime != request.regime) return Obstacle::regime;
  return Obstacle::illegal;
}

std::string say(const MatchRequest& request, Obstacle obstacle, const Record& record, std::size_t count) {
  const RecordKey& key = record.key;
  const std::string problem = key.problem.text();
  switch (obstacle) {
    case Obstacle::illegal:
      if (request.deterministic_only &&
          legal_configuration(request.spec, request.problem, request.device, record.configuration))
        return fmt::format("the configuration that is known for {} ({}) is not deterministic", problem,
                           record.configuration.text());
      return fmt::format("the configuration that is known for {} ({}) is not legal here", problem,
                         record.configuration.text());
    case Obstacle::size:
      if (key.device_class != request.device.class_key())
        return fmt::format("it is known for {} on {}, another device and problem", problem, record.device_name);
      return fmt::format("it is known for {}, but a size is beyond a factor of 2", problem);
    case Obstacle::regime:
      return fmt::format("it is known for {} with {} launches, not {}", problem, key.regime, request.regime);
    case Obstacle::objective:
      return fmt::format("it is known for the objective `{}`, not `{}`", key.objective, request.objective);
    case Obstacle::names:
      return fmt::format("it is known for {}: another type, choice or integer", problem);
    case Obstacle::capability:
      return fmt::format("it is known on {}, of another compute capability", record.device_name);
    case Obstacle::kind:
      return fmt::format("it is known on {}, another kind of device", record.device_name);
    case Obstacle::contract:
      return fmt::format("{} of it {} for other arguments or launches: [problem], [[launch]] or [arguments] changed",
                         counted(count, "record"), count == 1 ? "is" : "are");
    case Obstacle::code:
      return fmt::format("{} of it {} for another text of its code, which has changed", counted(count, "record"),
                         count == 1 ? "is" : "are");
  }
  return {};
}

}  // namespace

std::string say_near_miss(const MatchRequest& request, std::span<const Record> records) {
  const Record* nearest = nullptr;
  Obstacle least = Obstacle::code;
  double octaves = 0;
  std::size_t count = 0;
  for (const Record& record : records) {
    const Obstacle obstacle = obstacle_of(request, record);
    if (obstacle == Obstacle::illegal && usable_configuration(request, record.configuration))
      continue;  // it failed to build, which has been reported
    const double apart = obstacle == Obstacle::size
                             ? problem_distance(request.spec, request.problem, record.key.problem).squared_octaves
                             : 0;
    if (nearest != nullptr && obstacle == least) ++count;
    if (nearest != nullptr && (obstacle > least || (obstacle == least && apart >= octaves))) continue;
    if (obstacle != least || nearest == nullptr) count = 1;
    nearest = &record;
    least = obstacle;
    octaves = apart;
  }
  return nearest == nullptr ? std::string() : say(request, least, *nearest, count);
}

}  // namespace attune
