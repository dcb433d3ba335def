#include "kernel/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/counted.hpp"
#include "kernel/legality.hpp"
#include "kernel/nearness.hpp"

namespace attune {
namespace {

std::string provenance(const Record& record) {
  return fmt::format("effort {}, {}{}{}", to_text(record.effort), counted(record.trials, "trial"),
                     record.partial ? ", cut short" : "", record.unstable ? ", unstable" : "");
}

struct Graded {
  Rung rung;
  // compared in this order, less is better; the third: is it of another name, the fourth: uuid
  std::tuple<double, double, bool, std::string_view> order;
  const Record* record;
};

// How many records of a rung may be tried, the best first.
constexpr int most_of_rung = 4;

// Whether its times mean what times mean today.
bool is_present(const Record& record) { return generation_of(record.protocol) == present_generation; }

// Greater is better.
double completed_effort(const Record& record) { return 2.0 * static_cast<int>(record.effort) + !record.partial; }

std::optional<Graded> grade(const MatchRequest& request, const Record& record) {
  if (!same_family(request, record.key)) return std::nullopt;
  const bool is_renamed = record.key.kernel != request.spec.name;
  const bool same_device = record.key.device_class == request.device.class_key();
  if (same_problem(request.problem, record.key.problem)) {
    if (same_device) {
      const bool is_fresh = record.driver == request.device.driver && is_present(record);
      const Rung rung = record.key.regime != request.regime ? Rung::other_regime : is_fresh ? Rung::exact : Rung::stale;
      // Of several other regimes the times of today's meaning come first, then those of single launches.
      if (rung == Rung::other_regime)
        return Graded{
            rung,
            {is_present(record) ? 0.0 : 1.0, record.key.regime == "warm" ? 1.0 : 0.0, is_renamed, record.uuid},
            &record};
      // The kernel's own name comes first. Then, as among records of one key, more effort wins; of equal effort, a
      // complete session beats one that was cut short.
      return Graded{rung, {is_renamed ? 1.0 : 0.0, -completed_effort(record), is_renamed, record.uuid}, &record};
    }
    if (record.compute_capability != request.device.compute_capability || record.key.regime != request.regime)
      return std::nullopt;
    const double octaves = multiprocessor_octaves(record.multiprocessors, request.device.multiprocessors);
    return Graded{Rung::sibling_device, {octaves, 0.0, is_renamed, record.uuid}, &record};
  }
  if (!same_device || record.key.regime != request.regime) return std::nullopt;
  const ProblemDistance apart = problem_distance(request.spec, request.problem, record.key.problem);
  if (apart.differing > 0 || !apart.within_factor_2) return std::nullopt;
  // The larger of two equally near problems.
  return Graded{Rung::near_problem, {apart.squared_octaves, -apart.log2_size, is_renamed, record.uuid}, &record};
}

// Returns where the record is from, as a part of a sentence.
std::string origin(const MatchRequest& request, Rung rung, const Record& record) {
  const std::string& kernel = request.spec.name;
  const std::string& device = request.device.name;
  switch (rung) {
    case Rung::exact:
      return fmt::format("{} was tuned for this problem on {} ({})", kernel, device, provenance(record));
    case Rung::stale:
      if (!is_present(record))
        return fmt::format("{} was tuned for this problem on {} by an earlier way of measuring (attune {})", kernel,
                           device, record.attune_version);
      return fmt::format("{} was tuned for this problem on {}, but with driver {} (now {})", kernel, device,
                         record.driver, request.device.driver);
    case Rung::other_regime:
      return fmt::format("{} was tuned for this problem on {}, but for {} launches, not {}", kernel, device,
                         record.key.regime, request.regime);
    case Rung::near_problem:
      return fmt::format("{} was tuned on {} for {}, the nearest problem", kernel, device, record.key.problem.text());
    case Rung::sibling_device:
      return fmt::format("{} was tuned for this problem on {} ({} multiprocessors), a sibling of {} ({})", kernel,
                         record.device_name, record.multiprocessors, device, request.device.multiprocessors);
    case Rung::none:
      break;
  }
  return {};
}

std::string explain(const MatchRequest& request, Rung rung, const Record& record, bool is_default) {
  const std::string from = origin(request, rung, record);
  if (rung == Rung::exact) return from;
  if (rung == Rung::stale)
    return fmt::format("{}; to measure again: {}{}", from, tune_command(request), is_present(record) ? " --fresh" : "");
  return fmt::format("{}{} (try: {})", from,
                     is_default ? "; the default was faster there than what was found, and is used" : "",
                     tune_command(request));
}

// A record of these rungs was measured for something else.
bool is_stand_in(Rung rung) {
  return rung == Rung::other_regime || rung == Rung::near_problem || rung == Rung::sibling_device;
}

std::optional<Configuration> default_of(const MatchRequest& request, const LegalityCheck& legal) {
  for (const Configuration& fallback : request.fallbacks)
    if (auto found = legal(fallback)) return found;
  if (!request.fallbacks.empty()) return std::nullopt;
  Configuration first;
  for (const Parameter& parameter : request.spec.parameters) first.set(parameter.name, parameter.values.front());
  return legal(first);
}

}  // namespace

bool same_family(const MatchRequest& request, const RecordKey& key) {
  return key.code == request.spec.fingerprints.code && key.contract == request.spec.fingerprints.contract &&
         key.objective == request.objective && kind_of(key.device_class) == request.device.kind;
}

std::optional<Configuration> usable_configuration(const MatchRequest& request, const Configuration& wished) {
  auto found = legal_configuration(request.spec, request.problem, request.device, wished);
  if (found && request.deterministic_only && !is_deterministic(request.spec, request.problem, request.device, *found))
    return std::nullopt;
  return found;
}

// Where a tie was broken, medians and the ratio of the rounds may differ. A default that did not run has no time.
bool is_default_faster(const Record& record) {
  if (record.speedup > 0 && record.speedup < 1) return true;
  return record.key.objective == "time" && record.default_ns > 0 && record.default_ns < record.median_ns;
}

std::string tune_command(const MatchRequest& request) {
  std::string command = fmt::format("attune tune {}", request.tune_target);
  if (!request.problem.empty()) command += fmt::format(" --problem \"{}\"", request.problem.text());
  if (request.device.kind == "host")
    command += " --device host";
  else if (request.device.ordinal != 0)
    command += fmt::format(" --device cuda:{}", request.device.ordinal);
  if (request.regime != "cold") command += fmt::format(" --regime {}", request.regime);
  if (request.objective != "time") command += fmt::format(" --objective \"{}\"", request.objective);
  return command;
}

std::vector<GradedMatch> match_ladder(const MatchRequest& request, std::span<const Record> records,
                                      const LegalityCheck& legal) {
  std::vector<Graded> fitting;
  for (const Record& record : records) {
    if (auto graded = grade(request, record)) fitting.push_back(std::move(*graded));
  }
  std::sort(fitting.begin(), fitting.end(),
            [](const Graded& a, const Graded& b) { return std::tie(a.rung, a.order) < std::tie(b.rung, b.order); });
  std::vector<GradedMatch> ladder;
  int of_rung = 0;
  for (const Graded& candidate : fitting) {
    if (ladder.empty() || ladder.back().match.rung != candidate.rung) of_rung = 0;
    if (of_rung == most_of_rung) continue;
    const Record& record = *candidate.record;
    auto by_default =
        is_stand_in(candidate.rung) && is_default_faster(record) ? default_of(request, legal) : std::nullopt;
    const bool is_default = by_default.has_value();
    auto configuration = is_default ? std::move(by_default) : legal(record.configuration);
    if (!configuration) continue;
    // The same would fail the same.
    const bool is_known = std::ranges::any_of(
        ladder, [&](const GradedMatch& earlier) { return earlier.match.configuration == *configuration; });
    if (is_known) continue;
    ++of_rung;
    ladder.push_back({{candidate.rung, std::move(*configuration), explain(request, candidate.rung, record, is_default),
                       is_default ? 1 : record.speedup, record.key.problem.text()},
                      record.toolchain});
  }
  return ladder;
}

void grade_toolchain(GradedMatch& graded, const MatchRequest& request, std::string_view present) {
  Match& match = graded.match;
  if (match.rung != Rung::exact || present.empty() || present == graded.toolchain) return;
  match.rung = Rung::stale;
  match.why =
      fmt::format("{} was tuned for this problem on {}, but compiled by {} (now {}); to measure again: {} --fresh",
                  request.spec.name, request.device.name, graded.toolchain, present, tune_command(request));
}

Match no_match(const MatchRequest& request, Configuration default_configuration, std::string_view near_miss) {
  return {Rung::none, std::move(default_configuration),
          fmt::format("no wisdom for {} on {}{}{}; using the default (try: {})", request.spec.name, request.device.name,
                      near_miss.empty() ? "" : " fits: ", near_miss, tune_command(request)),
          1, ""};
}

}  // namespace attune
