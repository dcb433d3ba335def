#include "dispatch/wisdom.hpp"

#include <fmt/format.h>

#include <exception>
#include <iterator>
#include <set>

#include "core/counted.hpp"
#include "db/wisdom_failure.hpp"

namespace attune {
namespace {

// While the database is locked, it is asked again after this: not once for each kernel.
constexpr std::chrono::seconds locked_pause{1};

void append(std::vector<Record>& all, std::vector<Record>&& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

Wisdom::Wisdom(std::unique_ptr<const WisdomSource> database, const AddedBundles& bundles, Warnings& warnings)
    : database_(std::move(database)), bundles_(bundles), warnings_(warnings) {}

Wisdom::Found Wisdom::find(const MatchRequest& request, Reach reach) {
  Found found;
  found.candidates.are_all = true;
  for (const auto& bundle : bundles_.wisdom()) add_from(*bundle, request, reach, found);
  if (database_ == nullptr) return found;
  if (Clock::now() < ask_again_.load())
    found.is_final = false;
  else
    add_from(*database_, request, reach, found);
  return found;
}

void Wisdom::add_from(const WisdomSource& source, const MatchRequest& request, Reach reach, Found& found) {
  try {
    Candidates more = source.candidates(request, reach);
    if (more.damaged > 0)
      warnings_.warn(fmt::format("{} of {} in {} left out (tune again, or remove the file)",
                                 counted(static_cast<std::int64_t>(more.damaged), "damaged record"), request.spec.name,
                                 source.name()));
    append(found.candidates.records, std::move(more.records));
    append(found.candidates.near_misses, std::move(more.near_misses));
    found.candidates.are_all = found.candidates.are_all && more.are_all;
  } catch (const DatabaseLocked& failure) {
    warnings_.warn(fmt::format("no wisdom is read from {} yet: {}; using defaults", source.name(), failure.what()));
    ask_again_ = Clock::now() + locked_pause;
    found.is_final = false;
  } catch (const std::exception& failure) {
    warnings_.warn(fmt::format("no wisdom is read from {}: {}; using defaults", source.name(), failure.what()));
  }
}

std::vector<Record> Wisdom::records_of(const KernelSpec& spec, std::string_view device_kind) const {
  std::vector<Record> all;
  if (database_ != nullptr) append(all, database_->records_of(spec, device_kind));
  for (const auto& bundle : bundles_.wisdom()) append(all, bundle->records_of(spec, device_kind));
  std::set<std::string> seen;
  std::erase_if(all, [&](const Record& record) { return !seen.insert(record.uuid).second; });
  return all;
}

}  // namespace attune
