#include "dispatch/wisdom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <set>
#include <tuple>

#include "core/counted.hpp"
#include "db/wisdom_failure.hpp"
#include "kernel/nearness.hpp"

namespace attune {
namespace {

// While the database is locked, it is asked again after this: not once for each kernel.
constexpr std::chrono::seconds locked_pause{1};

void append(std::vector<Record>& all, std::vector<Record>&& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// Of one code and contract.
bool have_one_key(const Record& a, const Record& b) {
  const auto others = [](const RecordKey& key) {
    return std::tie(key.kernel, key.device_class, key.regime, key.objective);
  };
  return others(a.key) == others(b.key) && generation_of(a.protocol) == generation_of(b.protocol) &&
         same_problem(a.key.problem, b.key.problem);
}

// The order in which the database chooses among its own records of a key.
bool is_stronger(const Record& a, const Record& b) {
  const auto strength = [](const Record& record) { return std::tuple(record.effort, !record.partial, record.made_ms); };
  return strength(a) > strength(b);
}

// Several sources may have a record for one key.
[[gnu::cold]] std::vector<Record> strongest(std::vector<Record>&& records) {
  std::vector<Record> kept;
  for (Record& record : records) {
    const auto rival = std::ranges::find_if(kept, [&](const Record& one) { return have_one_key(one, record); });
    if (rival == kept.end())
      kept.push_back(std::move(record));
    else if (is_stronger(record, *rival))
      *rival = std::move(record);
  }
  return kept;
}

}  // namespace

Wisdom::Wisdom(std::unique_ptr<const WisdomSource> database, const AddedBundles& bundles, Warnings& warnings)
    : database_(std::move(database)), bundles_(bundles), warnings_(warnings) {}

// Cold functions are compiled for size: libattune.so is to stay small.
[[gnu::cold]] Wisdom::Found Wisdom::find(const MatchRequest& request, Reach reach) {
  Found found;
  found.candidates.are_all = true;
  for (const auto& bundle : bundles_.wisdom()) add_from(*bundle, request, reach, found);
  if (database_ != nullptr) {
    if (Clock::now() < ask_again_.load()) {
      found.is_final = false;
      found.failure = "the database is locked";
    } else {
      add_from(*database_, request, reach, found);
    }
  }
  found.candidates.records = strongest(std::move(found.candidates.records));
  return found;
}

[[gnu::cold]] void Wisdom::add_from(const WisdomSource& source, const MatchRequest& request, Reach reach,
                                    Found& found) {
  try {
    Candidates more = source.candidates(request, reach);
    if (more.damaged > 0)
      warnings_.warn(fmt::format(
          "{} of {} in {} left out; what is sound there stays in use (to measure again: {}; to keep what is "
          "sound: attune export {} --format bundle)",
          counted(static_cast<std::int64_t>(more.damaged), "damaged record"), request.spec.name, source.name(),
          tune_command(request), request.tune_target));
    append(found.candidates.records, std::move(more.records));
    append(found.candidates.near_misses, std::move(more.near_misses));
    found.candidates.are_all = found.candidates.are_all && more.are_all;
  } catch (const DatabaseLocked& failure) {
    warnings_.warn(fmt::format("no wisdom is read from {} yet: {}; using defaults", source.name(), failure.what()));
    ask_again_ = Clock::now() + locked_pause;
    found.is_final = false;
    found.failure = failure.what();
  } catch (const std::exception& failure) {
    found.failure = failure.what();
    warnings_.warn(fmt::format("no wisdom is read from {}: {}; using defaults", source.name(), failure.what()));
  }
}

[[gnu::cold]] std::vector<Record> Wisdom::records_of(const KernelSpec& spec, std::string_view device_kind) const {
  std::vector<Record> all;
  if (database_ != nullptr) append(all, database_->records_of(spec, device_kind));
  for (const auto& bundle : bundles_.wisdom()) append(all, bundle->records_of(spec, device_kind));
  std::set<std::string> seen;
  std::erase_if(all, [&](const Record& record) { return !seen.insert(record.uuid).second; });
  return all;
}

}  // namespace attune
