#include "dispatch/wisdom.hpp"

#include <fmt/format.h>

#include <exception>
#include <map>
#include <new>

#include "base/counted.hpp"
#include "base/digest.hpp"
#include "base/shell_word.hpp"
#include "core/device_class.hpp"
#include "core/record_order.hpp"

namespace attune {
namespace {

using Kind = WisdomSource::Kind;

// A database that cannot be read now is asked again only after this pause, not once for each kernel.
constexpr std::chrono::seconds pause_after_failure{1};

template <typename T>
void append(std::vector<T>& all, std::vector<T>&& more) {
  for (T& one : more) all.push_back(std::move(one));
}

// Returns what is wrong with the lines or rows that were left out, as a sentence.
std::string damage_text(const FoundRecords& found, const RecordTable& source, const MatchRequest& request) {
  const bool are_covers = found.damaged == found.damaged_covers;
  const std::string target = shell_word(request.tune_target);
  return fmt::format(
      "{} of {} in {} left out{}; what is sound there stays in use (to replace it: {}; to keep what is sound: attune "
      "export {} --format bundle)",
      counted(static_cast<std::int64_t>(found.damaged), are_covers ? "damaged cover" : "damaged record"),
      request.spec.name, source.name(), found.damage.empty() ? "" : fmt::format(" ({})", found.damage),
      are_covers ? fmt::format("attune cover {}", target) : tune_command(request), target);
}

}  // namespace

Wisdom::Wisdom(WisdomSources sources, const AddedBundles& bundles, Warnings& warnings)
    : sources_(std::move(sources)), bundles_(bundles), warnings_(warnings) {}

// Cold functions are compiled for size: libattune.so is to stay small.
[[gnu::cold]] std::vector<WisdomSource> Wisdom::all_sources() const {
  std::vector<WisdomSource> all = sources_.list;
  for (auto& bundle : bundles_.wisdom()) all.push_back({Kind::bundle, std::move(bundle)});
  return all;
}

[[gnu::cold]] Wisdom::LookUpResult Wisdom::find(const MatchRequest& request, Reach reach) {
  require_agreed_digest();
  LookUpResult found;
  found.candidates.are_all = true;
  for (const WisdomSource& source : all_sources()) {
    if (source.kind == Kind::database && Clock::now() < ask_again_.load()) {
      found.is_final = false;
      found.failure = "the database could not be read a moment ago";
    } else {
      add_from(source, request, reach, found);
    }
  }
  // Several sources may have a record for one key.
  found.candidates.records = strongest_of_each_key(std::move(found.candidates.records), Ties::to_the_first);
  return found;
}

[[gnu::cold]] void Wisdom::add_from(const WisdomSource& source, const MatchRequest& request, Reach reach,
                                    LookUpResult& found) {
  try {
    FoundRecords more = look_up(*source.table, request, reach);
    if (more.damaged > 0) warnings_.warn(damage_text(more, *source.table, request));
    for (Record& record : more.records) mark_origin(record, source);
    append(found.candidates.records, std::move(more.records));
    append(found.candidates.covers, std::move(more.covers));
    append(found.candidates.near_misses, std::move(more.near_misses));
    found.candidates.are_all = found.candidates.are_all && more.are_all;
  } catch (const PassingFailure& failure) {
    fail(*source.table, failure.what(), true, found);
  } catch (const std::bad_alloc& failure) {
    fail(*source.table, failure.what(), true, found);
  } catch (const std::exception& failure) {
    fail(*source.table, failure.what(), false, found);
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

// A record goes on as its source has it, so that the bundle of what was a bundle is the same bundle.
[[gnu::cold]] std::vector<Record> Wisdom::records_of(const KernelSpec& spec, std::string_view device_kind) const {
  std::vector<Record> all;
  std::map<std::string, Origin> origins;
  for (const WisdomSource& source : all_sources()) {
    std::vector<Record> more = look_up_all(*source.table, spec, device_kind);
    for (Record& record : more) {
      const Origin origin = record.origin;
      mark_origin(record, source);
      origins.emplace(record.source + record.uuid, origin);
    }
    append(all, std::move(more));
  }
  std::vector<Record> kept = strongest_of_each_key(std::move(all), Ties::to_the_first);
  for (Record& record : kept) record.origin = origins.at(record.source + record.uuid);
  return kept;
}

[[gnu::cold]] std::string Wisdom::digest() const {
  Digest digest;
  for (const WisdomSource& source : all_sources()) {
    if (source.kind == Kind::override_file || source.kind == Kind::database) continue;
    if (const std::string content = source.table->content_digest(); !content.empty())
      digest.add(std::string_view(content));
  }
  return digest.hex();
}

[[gnu::cold]] void Wisdom::require_agreed_digest() {
  if (sources_.agreed.empty() || sources_.agreed == "any") return;
  const std::size_t present = all_sources().size();
  if (agreed_sources_ == present) return;
  if (const std::string found = digest(); found != sources_.agreed)
    throw Error(
        fmt::format("the wisdom of this process has the digest {}, but {} was agreed on (DispatcherOptions::agree, "
                    "ATTUNE_AGREE): its site, folders or bundles are not those of the others",
                    found, sources_.agreed));
  agreed_sources_ = present;
}

[[gnu::cold]] const DeviceInfo& Wisdom::known_as(const DeviceInfo& device) {
  const std::lock_guard lock(known_mutex_);
  if (known_ != nullptr) return *known_;
  auto known = std::make_unique<DeviceInfo>(device);
  for (const WisdomSource& source : sources_.list) {
    if (source.kind != Kind::database) continue;
    if (Clock::now() < ask_again_.load()) return device;
    try {
      if (const auto reading = source.table->read()) apply_aliases(*known, reading->aliases());
    } catch (const PassingFailure&) {  // find() meets it too, and says why
      return device;
    } catch (const std::bad_alloc&) {
      return device;
    } catch (const Error&) {  // find() says why
    }
  }
  known_ = std::move(known);
  return *known_;
}

[[gnu::cold]] std::vector<Cover> Wisdom::covers_of(const KernelSpec& spec, std::string_view device_kind) const {
  std::vector<Cover> all;
  for (const WisdomSource& source : all_sources()) append(all, look_up_covers(*source.table, spec, device_kind));
  return all;
}

}  // namespace attune
