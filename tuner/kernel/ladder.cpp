#include "kernel/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/counted.hpp"
#include "base/enum_texts.hpp"
#include "base/shell_word.hpp"
#include "core/record_order.hpp"
#include "kernel/cover_match.hpp"
#include "kernel/legality.hpp"

namespace attune {
namespace {

std::string provenance(const Record& record) {
  std::string text = fmt::format("(effort {}, {}{}{})", to_text(record.effort), counted(record.trials, "trial"),
                                 record.partial ? ", cut short" : "", record.unstable ? ", unstable" : "");
  if (has_default_failed(record)) text += "; " + say_default_failed(default_failure(record));
  return text;
}

struct GradedRecord {
  Standing standing;
  const Record* record;
};

bool is_present(const Record& record) { return is_of_present_meaning(record.protocol); }

struct IsBefore {
  bool operator()(const GradedRecord& a, const GradedRecord& b) const {
    const int order = compare(a.standing, b.standing);
    return order != 0 ? order < 0 : is_stronger(*a.record, *b.record);
  }
};
using GradedRecords = std::set<GradedRecord, IsBefore>;  // takes less code than a sort

// Returns the device's name, with that of the class that it counts as.
std::string device_text(const DeviceInfo& device) {
  std::string_view other = device.class_name;
  if (const std::size_t bar = other.find('|'); bar != std::string_view::npos) {
    other.remove_prefix(bar + 1);
    other = other.substr(0, other.find('|'));
  }
  return other.empty() ? device.name : fmt::format("{} (as {})", device.name, other);
}

// Returns how a record came here that was not measured here, as a part of a sentence.
std::string_view way_of(const Record& record) {
  if (record.origin == Origin::imported) return ", and brought in from elsewhere";
  return record.origin == Origin::adopted ? ", and adopted from an earlier code" : "";
}

// Returns where the record comes from, as a part of a sentence.
std::string origin(const MatchRequest& request, Rung rung, const Record& record) {
  const std::string& kernel = request.spec.name;
  const std::string device = device_text(request.device);
  switch (rung) {
    case Rung::pinned:
      return fmt::format("{} was pinned for this problem on {}", kernel, device);
    case Rung::exact:
      return fmt::format("{} was tuned for this problem on {} {}{}", kernel, device, provenance(record),
                         way_of(record));
    case Rung::stale:
      if (record.protocol == 0)
        return fmt::format("{} was tuned for this problem on {} by another tool", kernel, device);
      if (!is_present(record))
        return fmt::format("{} was tuned for this problem on {} by an earlier way of measuring (attune {})", kernel,
                           device, record.attune_version);
      return fmt::format("{} was tuned for this problem on {}, but with driver {} (now {}){}", kernel, device,
                         record.driver, request.device.driver, way_of(record));
    case Rung::other_regime:
      return fmt::format("{} was tuned for this problem on {}, but for {} launches, not {}", kernel, device,
                         record.key.regime, request.regime);
    case Rung::near_problem:
      return fmt::format("{} was tuned on {} for {}, the nearest problem", kernel, device, record.key.problem.text());
    case Rung::sibling_device:
      return fmt::format("{} was tuned for this problem on {} ({} multiprocessors), a sibling of {} ({})", kernel,
                         record.device_name, record.multiprocessors, device, request.device.multiprocessors);
    case Rung::other_problem:
      return fmt::format("{} was tuned on {} for {}, another problem", kernel, device, record.key.problem.text());
    case Rung::cover:
    case Rung::none:
      break;
  }
  return {};
}

// Returns what became of a default, as a part of a sentence.
std::string failure_where(const Record& record) {
  return fmt::format("{} when {} was tuned", say_default_failed(default_failure(record)), record.key.problem.text());
}

// `turn`: tells what is used, if that is not the configuration of the record, or why the record is used.
std::string explain(const MatchRequest& request, Rung rung, const Record& record, std::string_view turn) {
  const std::string from = origin(request, rung, record);
  if (rung == Rung::pinned || rung == Rung::exact) return from;
  if (rung == Rung::stale)
    return fmt::format("{}; to measure again: {}{}", from, tune_command(request), is_present(record) ? " --fresh" : "");
  return fmt::format("{}{} (try: {})", from, turn, tune_command(request));
}

bool is_wanted(const MatchRequest& request, const Configuration& legal) {
  return !request.deterministic_only || is_deterministic(request.spec, request.problem, request.device, legal);
}

// Returns the fall-backs that are legal for a problem, in order, at most `most` of them.
std::vector<Configuration> legal_fallbacks(const MatchRequest& request, const Problem& problem, std::size_t most) {
  std::vector<Configuration> found;
  const auto add = [&](const Configuration& fallback) {
    if (found.size() == most) return;
    if (auto one = legal_configuration(request.spec, problem, request.device, fallback))
      found.push_back(*std::move(one));
  };
  for (const Configuration& fallback : request.fallbacks) add(fallback);
  if (!request.fallbacks.empty()) return found;
  Configuration first;
  for (const Parameter& parameter : request.spec.parameters) first.set(parameter.name, parameter.values.front());
  add(first);
  return found;
}

// Returns the fall-backs that are usable for the request, in order.
std::vector<Configuration> usable_fallbacks(const MatchRequest& request) {
  std::vector<Configuration> found = legal_fallbacks(request, request.problem, request.fallbacks.size() + 1);
  std::erase_if(found, [&](const Configuration& one) { return !is_wanted(request, one); });
  return found;
}

// Returns the record in whose session this default failed, or null if it ran or nothing is known. The nearest of those
// records of this device class that have it as default decides.
const Record* failure_of(const MatchRequest& request, const GradedRecords& fitting, const Configuration& fallback) {
  for (const GradedRecord& graded : fitting) {
    const Record& record = *graded.record;
    if (graded.standing.rung == Rung::sibling_device) continue;
    const std::vector<Configuration> its_default = legal_fallbacks(request, record.key.problem, 1);
    if (its_default.empty() || its_default.front() != fallback) continue;
    return has_default_failed(record) ? &record : nullptr;
  }
  return nullptr;
}

// Returns the records that fit, best first: those of other problems are the last.
GradedRecords fitting_records(const MatchRequest& request, std::span<const Record> records) {
  GradedRecords fitting;
  for (const Record& record : records) {
    if (!same_family(request, record.key)) continue;
    if (const Standing standing = standing_of(request, record); standing.rung != Rung::none)
      fitting.insert({standing, &record});
  }
  return fitting;
}

// The same configuration would fail again.
bool has(std::span<const GradedMatch> ladder, const Configuration& configuration) {
  return std::ranges::any_of(ladder, [&](const GradedMatch& one) { return one.match.configuration == configuration; });
}

GradedMatch graded_match(const GradedRecord& graded, Configuration configuration, std::string why) {
  const Record& record = *graded.record;
  return {{graded.standing.rung, std::move(configuration), std::move(why), record.speedup, record.key.problem.text(),
           default_failure(record), record.source},
          record.toolchain,
          false,
          record.uuid};
}

}  // namespace

static_assert(std::size(rung_table) == enum_size<Rung>());
std::string_view to_text(Rung rung) noexcept { return row_of(rung <= Rung::other_problem ? rung : Rung::none).name; }

Standing standing_of(const MatchRequest& request, const Record& record) {
  const DeviceInfo& device = request.device;
  const Fit fit{.is_same_problem = same_problem(request.problem, record.key.problem),
                .is_same_device = record.key.device_class == device.class_key(),
                .is_sibling = record.compute_capability == device.compute_capability,
                .is_pinned = record.origin == Origin::pinned,
                .is_of_regime = record.key.regime == request.regime,
                .is_of_warm = record.key.regime == "warm",
                .is_present = is_present(record),
                .is_same_driver = record.driver == device.driver,
                .is_renamed = record.key.kernel != request.spec.name,
                .multiprocessor_octaves = multiprocessor_octaves(record.multiprocessors, device.multiprocessors)};
  return standing_of(fit, [&] { return problem_distance(request.spec, request.problem, record.key.problem); });
}

[[gnu::cold]] std::optional<Configuration> default_of(const MatchRequest& request) {
  std::vector<Configuration> found = usable_fallbacks(request);
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

bool same_family(const MatchRequest& request, const RecordKey& key) {
  return key.code == request.spec.fingerprints.code && key.contract == request.spec.fingerprints.contract &&
         key.objective == request.objective && kind_of(key.device_class) == request.device.kind;
}

std::optional<Configuration> usable_configuration(const MatchRequest& request, const Configuration& wished) {
  auto found = legal_configuration(request.spec, request.problem, request.device, wished);
  return found && is_wanted(request, *found) ? std::move(found) : std::nullopt;
}

// Medians and the ratio of the rounds may disagree where a tie was broken. A default that did not run has no time.
bool is_default_faster(const Record& record) {
  if (record.speedup > 0 && record.speedup < 1) return true;
  return record.key.objective == "time" && record.default_ns > 0 && record.default_ns < record.median_ns;
}

std::string command_for(const MatchRequest& request, std::string_view command) {
  std::string text = fmt::format("attune {} {}", command, shell_word(request.tune_target));
  if (!request.problem.empty()) text += " --problem " + shell_word(request.problem.text());
  if (request.device.kind == "host")
    text += " --device host";
  else if (request.device.ordinal != 0)
    text += fmt::format(" --device cuda:{}", request.device.ordinal);
  return text;
}

std::string tune_command(const MatchRequest& request) {
  if (request.device.kind == "callable")
    return "tune() of its program" + (request.problem.empty() ? "" : ", for " + request.problem.text());
  std::string command = command_for(request, "tune");
  if (request.regime != "cold") command += fmt::format(" --regime {}", request.regime);
  if (request.objective != "time") command += " --objective " + shell_word(request.objective);
  return command;
}

std::vector<GradedMatch> match_ladder(const MatchRequest& request, std::span<const Record> records,
                                      std::span<const Cover> covers) {
  std::vector<GradedMatch> ladder;
  bool has_asked_covers = false;
  const auto ask_covers = [&] {
    if (std::exchange(has_asked_covers, true)) return;
    auto covering = cover_match(request, covers);
    if (covering && !has(ladder, covering->match.configuration)) ladder.push_back(*std::move(covering));
  };
  int of_rung = 0;
  for (const GradedRecord& candidate : fitting_records(request, records)) {
    const Rung rung = candidate.standing.rung;
    if (rung == Rung::other_problem) break;
    if (rung > Rung::cover) ask_covers();
    if (ladder.empty() || ladder.back().match.rung != rung) of_rung = 0;
    if (of_rung == most_of_rung) continue;
    const Record& record = *candidate.record;
    auto by_default = !row_of(rung).is_promise && is_default_faster(record) ? default_of(request) : std::nullopt;
    const bool is_default = by_default.has_value();
    auto configuration = is_default ? std::move(by_default) : usable_configuration(request, record.configuration);
    if (!configuration || has(ladder, *configuration)) continue;
    ++of_rung;
    ladder.push_back(
        graded_match(candidate, std::move(*configuration),
                     explain(request, rung, record,
                             is_default ? "; the default was faster there than what was found, and is used" : "")));
    if (is_default) ladder.back().match.speedup = 1;
  }
  ask_covers();
  return ladder;
}

void add_last_rungs(std::vector<GradedMatch>& ladder, const MatchRequest& request, std::span<const Record> records,
                    std::string_view near_miss) {
  const GradedRecords fitting = fitting_records(request, records);
  const std::vector<Configuration> fallbacks = usable_fallbacks(request);
  std::vector<const Record*> failures;  // of these fall-backs
  for (const Configuration& fallback : fallbacks) failures.push_back(failure_of(request, fitting, fallback));
  const auto is_sound = [](const Record* failure) { return failure == nullptr; };
  const auto add = [&](bool sound) {
    for (std::size_t i = 0; i < fallbacks.size(); ++i)
      if (is_sound(failures[i]) == sound)
        ladder.push_back({no_match(request, fallbacks[i], near_miss, failures[i]), {}, !sound});
  };
  const Record* const first_failure = failures.empty() ? nullptr : failures.front();
  if (first_failure == nullptr) add(true);
  const bool is_last_resort = first_failure == nullptr && !fallbacks.empty();
  const std::string why = first_failure != nullptr ? failure_where(*first_failure) : "no fall-back can be used";
  const std::string turn = fmt::format("; {}, so what was found is used", why);
  int others = 0;
  for (const GradedRecord& candidate : fitting) {
    if (candidate.standing.rung != Rung::other_problem || others == most_of_rung) continue;
    auto configuration = usable_configuration(request, candidate.record->configuration);
    if (!configuration || has(ladder, *configuration) || failure_of(request, fitting, *configuration) != nullptr)
      continue;
    ++others;
    ladder.push_back(graded_match(candidate, std::move(*configuration),
                                  explain(request, Rung::other_problem, *candidate.record,
                                          ladder.empty() ? turn : "; it is used where what is tried before it fails")));
    ladder.back().is_last_resort = is_last_resort;
  }
  if (first_failure != nullptr) add(true);
  add(false);
}

void grade_toolchain(GradedMatch& graded, const MatchRequest& request, std::string_view present) {
  Match& match = graded.match;
  if (match.rung != Rung::exact || present.empty() || present == graded.toolchain) return;
  match.rung = Rung::stale;
  match.why =
      fmt::format("{} was tuned for this problem on {}, but compiled by {} (now {}); to measure again: {} --fresh",
                  request.spec.name, request.device.name, graded.toolchain, present, tune_command(request));
}

Match no_match(const MatchRequest& request, Configuration default_configuration, std::string_view near_miss,
               const Record* failed) {
  return {Rung::none,
          std::move(default_configuration),
          fmt::format("no wisdom for {} on {}{}{}; using the default{} (try: {})", request.spec.name,
                      request.device.name, near_miss.empty() ? "" : " fits: ", near_miss,
                      failed != nullptr ? ", though " + failure_where(*failed) : "", tune_command(request)),
          1,
          "",
          ""};
}

}  // namespace attune
