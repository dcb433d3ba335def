#include "subject/kernel_warm_start.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <tuple>

#include "attune/error.hpp"
#include "kernel/nearness.hpp"
#include "kernel/problem.hpp"

namespace attune {
namespace {

enum class Kin { this_problem, other_problem, sibling_device, other_device };

struct KinRank {
  Kin kin;
  bool of_other_regime, of_other_meaning;
  int differing;
  double squared_octaves;
  int capability_distance;
  double multiprocessor_distance;
  // Breaks ties in nearness by the text of the problem, the class of the device, and the uuid.
  std::string problem;
  std::string_view device_class, uuid;
  const Record* record;

  auto order() const {
    return std::tie(kin, of_other_regime, of_other_meaning, differing, squared_octaves, capability_distance,
                    multiprocessor_distance, problem, device_class, uuid);
  }
};

KinRank rank(const MatchRequest& request, const Record& record) {
  const bool same_device = record.key.device_class == request.device.class_key();
  const bool same = same_problem(request.problem, record.key.problem);
  const ProblemDistance apart = problem_distance(request.spec, request.problem, record.key.problem);
  const int capabilities = std::abs(record.compute_capability - request.device.compute_capability);
  const Kin kin = same_device         ? (same ? Kin::this_problem : Kin::other_problem)
                  : capabilities == 0 ? Kin::sibling_device
                                      : Kin::other_device;
  return {kin,
          record.key.regime != request.regime,
          !is_of_present_meaning(record.protocol),
          apart.differing,
          apart.squared_octaves,
          capabilities,
          multiprocessor_octaves(record.multiprocessors, request.device.multiprocessors),
          record.key.problem.text(),
          record.key.device_class,
          record.uuid,
          &record};
}

}  // namespace

std::vector<Record> ranked_for_warm_start(const MatchRequest& request, std::span<const Record> records) {
  std::vector<KinRank> ranked;
  for (const Record& record : records) {
    if (same_family(request, record.key)) ranked.push_back(rank(request, record));
  }
  std::sort(ranked.begin(), ranked.end(), [](const KinRank& a, const KinRank& b) { return a.order() < b.order(); });
  std::vector<Record> sorted;
  for (const KinRank& next : ranked) sorted.push_back(*next.record);
  return sorted;
}

std::vector<Row> ladder_rows(const KernelSpec& spec, const SearchSpace& space) {
  std::vector<Row> rows;
  for (const Ladder& ladder : spec.ladders)
    for (const LadderStep& step : ladder.steps) {
      std::optional<Row> row;
      try {
        row = space.row_of(parse_configuration(spec, step.configuration));
      } catch (const UsageError&) {  // the space was narrowed, so a step may have values that it lacks
        continue;
      }
      if (row && space.contains(*row) && std::find(rows.begin(), rows.end(), *row) == rows.end()) rows.push_back(*row);
    }
  return rows;
}

}  // namespace attune
