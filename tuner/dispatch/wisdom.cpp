#include "dispatch/wisdom.hpp"

#include <fmt/format.h>

#include <exception>
#include <iterator>
#include <new>

#include "base/counted.hpp"
#include "base/shell_word.hpp"
#include "core/record_order.hpp"

namespace attune {
namespace {

// A database that cannot be read now is asked again only after this pause, not once for each kernel.
constexpr std::chrono::seconds pause_after_failure{1};

void append(std::vector<Record>& all, std::vector<Record>&& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

Wisdom::Wisdom(std::unique_ptr<const RecordTable> database, const AddedBundles& bundles, Warnings& warnings)
    : database_(std::move(database)), bundles_(bundles), warnings_(warnings) {}

// Cold functions are compiled for size: libattune.so is to stay small.
[[gnu::cold]] Wisdom::LookUpResult Wisdom::find(const MatchRequest& request, Reach reach) {
  LookUpResult found;
  found.candidates.are_all = true;
  for (const auto& bundle : bundles_.wisdom()) add_from(*bundle, request, reach, found);
  if (database_ != nullptr) {
    if (Clock::now() < ask_again_.load()) {
      found.is_final = false;
      found.failure = "the database could not be read a moment ago";
    } else {
      add_from(*database_, request, reach, found);
    }
  }
  // Several sources may have a record for one key.
  found.candidates.records = strongest_of_each_key(std::move(found.candidates.records));
  return found;
}

[[gnu::cold]] void Wisdom::add_from(const RecordTable& source, const MatchRequest& request, Reach reach,
                                    LookUpResult& found) {
  try {
    FoundRecords more = look_up(source, request, reach);
    if (more.damaged > 0)
      warnings_.warn(fmt::format(
          "{} of {} in {} left out; what is sound there stays in use (to measure again: {}; to keep what is "
          "sound: attune export {} --format bundle)",
          counted(static_cast<std::int64_t>(more.damaged), "damaged record"), request.spec.name, source.name(),
          tune_command(request), shell_word(request.tune_target)));
    append(found.candidates.records, std::move(more.records));
    append(found.candidates.near_misses, std::move(more.near_misses));
    found.candidates.are_all = found.candidates.are_all && more.are_all;
  } catch (const PassingFailure& failure) {
    fail(source, failure.what(), true, found);
  } catch (const std::bad_alloc& failure) {
    fail(source, failure.what(), true, found);
  } catch (const std::exception& failure) {
    fail(source, failure.what(), false, found);
  }
}

[[gnu::cold]] void Wisdom::fail(const RecordTable& source, const char* why, bool may_pass, LookUpResult& found) {
  warnings_.warn(fmt::format("no wisdom is read from {}{}: {}; using what else is known, or defaults", source.name(),
                             may_pass ? " yet" : "", why));
  found.failure = why;
  if (!may_pass) return;
  found.is_final = false;
  ask_again_ = Clock::now() + pause_after_failure;
}

[[gnu::cold]] std::vector<Record> Wisdom::records_of(const KernelSpec& spec, std::string_view device_kind) const {
  std::vector<Record> all;
  if (database_ != nullptr) append(all, look_up_all(*database_, spec, device_kind));
  for (const auto& bundle : bundles_.wisdom()) append(all, look_up_all(*bundle, spec, device_kind));
  return strongest_of_each_key(std::move(all));
}

}  // namespace attune
