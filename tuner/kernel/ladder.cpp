#include "kernel/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.hpp"
#include "base/enum_texts.hpp"
#include "core/record_order.hpp"
#include "kernel/legality.hpp"

namespace attune {
namespace {

std::string provenance(const Record& record) {
  return fmt::format("effort {}, {}{}{}", to_text(record.effort), counted(record.trials, "trial"),
                     record.partial ? ", cut short" : "", record.unstable ? ", unstable" : "");
}

struct Graded {
  Standing standing;
  const Record* record;
};

// How many records of a rung may be tried, the best first.
constexpr int most_of_rung = 4;

bool is_present(const Record& record) { return is_of_present_meaning(record.protocol); }

Standing grade(const MatchRequest& request, const Record& record) {
  const DeviceInfo& device = request.device;
  const Fit fit{.is_same_problem = same_problem(request.problem, record.key.problem),
                .is_same_device = record.key.device_class == device.class_key(),
                .is_sibling = record.compute_capability == device.compute_capability,
                .is_of_regime = record.key.regime == request.regime,
                .is_of_warm = record.key.regime == "warm",
                .is_present = is_present(record),
                .is_same_driver = record.driver == device.driver,
                .is_renamed = record.key.kernel != request.spec.name,
                .multiprocessor_octaves = multiprocessor_octaves(record.multiprocessors, device.multiprocessors)};
  return standing_of(fit, [&] { return problem_distance(request.spec, request.problem, record.key.problem); });
}

bool is_before(const Graded& a, const Graded& b) {
  const int order = compare(a.standing, b.standing);
  return order != 0 ? order < 0 : is_stronger(*a.record, *b.record);
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

std::optional<Configuration> default_of(const MatchRequest& request, const LegalityCheck& legal) {
  for (const Configuration& fallback : request.fallbacks)
    if (auto found = legal(fallback)) return found;
  if (!request.fallbacks.empty()) return std::nullopt;
  Configuration first;
  for (const Parameter& parameter : request.spec.parameters) first.set(parameter.name, parameter.values.front());
  return legal(first);
}

}  // namespace

static_assert(std::size(rung_table) == enum_size<Rung>());
std::string_view to_text(Rung rung) noexcept { return row_of(rung <= Rung::none ? rung : Rung::none).name; }

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
  for (const Record& record : records)
    if (same_family(request, record.key)) fitting.push_back({grade(request, record), &record});
  std::erase_if(fitting, [](const Graded& graded) { return graded.standing.rung == Rung::none; });
  std::ranges::sort(fitting, is_before);
  std::vector<GradedMatch> ladder;
  int of_rung = 0;
  for (const Graded& candidate : fitting) {
    const Rung rung = candidate.standing.rung;
    if (ladder.empty() || ladder.back().match.rung != rung) of_rung = 0;
    if (of_rung == most_of_rung) continue;
    const Record& record = *candidate.record;
    auto by_default = !row_of(rung).is_promise && is_default_faster(record) ? default_of(request, legal) : std::nullopt;
    const bool is_default = by_default.has_value();
    auto configuration = is_default ? std::move(by_default) : legal(record.configuration);
    if (!configuration) continue;
    // The same would fail the same.
    const bool is_known = std::ranges::any_of(
        ladder, [&](const GradedMatch& earlier) { return earlier.match.configuration == *configuration; });
    if (is_known) continue;
    ++of_rung;
    ladder.push_back({{rung, std::move(*configuration), explain(request, rung, record, is_default),
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
