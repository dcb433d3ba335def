#include "wisdom/plan_why.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/counted.hpp"
#include "configuration_text.hpp"
#include "core/record_hash.hpp"
#include "db/reader/wisdom_reader.hpp"
#include "db/wisdom_look.hpp"
#include "dispatch/wisdom_sources.hpp"
#include "json_lines.hpp"
#include "kernel/record_reasons.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "spec/pack.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

std::optional<WisdomStore> stored_wisdom(const std::string& database) {
  std::error_code unknown;
  if (database.empty() || (!std::filesystem::exists(database, unknown) && !unknown)) return std::nullopt;
  return WisdomStore(database, WisdomStore::Access::read_only, {note_on_stderr});
}

// Returns what became of a configuration when it was tried for this very problem here, if it failed.
std::string failed_here(const MatchRequest& request, const Configuration& configuration, WisdomStore& store) {
  const RecordKey key{
      request.spec.name, request.spec.fingerprints.code, request.spec.fingerprints.contract, request.device.class_key(),
      request.problem,   std::string(request.regime),    std::string(request.objective)};
  const std::optional<Trial> trial = newest_trial(store, key, configuration);
  return !trial || trial->verdict == Verdict::ok ? "" : fmt::format("; it failed here: {}", to_text(trial->verdict));
}

// Returns null for a source that has nothing or cannot be read: the planner has told why.
std::unique_ptr<RecordReading> reading_of(const WisdomSource& source) try {
  return source.table->read();
} catch (const Error&) {
  return nullptr;
}

// Returns the kernel's sound records of all sources but the database.
std::vector<Record> records_elsewhere(const PlanQuery& query) {
  std::vector<Record> found;
  for (const WisdomSource& source : wisdom_sources(nullptr, query.places).list) {
    const std::unique_ptr<RecordReading> reading = reading_of(source);
    if (reading == nullptr) continue;
    for (StoredRecord& row : reading->rows({.kernel = query.spec.name})) {
      if (!row.damage.empty() || !is_sound(row.record, row.hash)) continue;
      mark_origin(row.record, source);
      found.push_back(std::move(row.record));
    }
  }
  return found;
}

struct PlacedCovers {
  std::vector<Cover> covers;
  std::vector<std::string> sources;  // of each cover: where it comes from
};

// Returns the kernel's sound covers of all sources: those of its name, and those of its very text.
PlacedCovers covers_of(const PlanQuery& query) {
  PlacedCovers found;
  const Fingerprints& own = query.spec.fingerprints;
  auto database = std::make_unique<const WisdomReader>(query.database);
  for (const WisdomSource& source : wisdom_sources(std::move(database), query.places).list) {
    const std::unique_ptr<RecordReading> reading = reading_of(source);
    if (reading == nullptr) continue;
    int damaged = 0;  // which the planner has told
    for (Cover& cover : reading->covers({}, damaged)) {
      const RecordKey& key = cover.key;
      if (key.kernel != query.spec.name && !(key.code == own.code && key.contract == own.contract)) continue;
      found.covers.push_back(std::move(cover));
      found.sources.push_back(place_of(source));
    }
  }
  return found;
}

using Json = nlohmann::ordered_json;

Json json_of(const Cover& cover) {
  return {{"kernel", cover.key.kernel},     {"device_class", cover.key.device_class},
          {"regime", cover.key.regime},     {"objective", cover.key.objective},
          {"problems", cover.problems},     {"tree", cover.tree},
          {"measured", cover.measured},     {"mean_loss", cover.mean_loss},
          {"worst_loss", cover.worst_loss}, {"made_ms", cover.made_ms}};
}

// A cover without an answer has none.
bool has_configuration(const RecordReason& reason) { return reason.cover == nullptr || reason.rung != Rung::none; }

// `source`: of a cover.
void print_reason(const RecordReason& reason, const std::string& source) {
  Json line = {{"type", "reason"},
               {"place", reason.place == 0 ? Json() : Json(reason.place)},
               {"rung", to_text(reason.rung)},
               {"configuration", has_configuration(reason) ? to_json(reason.configuration) : Json()},
               {"why", reason.why}};
  const Record* const record = reason.record;
  line["uuid"] = record == nullptr ? Json() : Json(record->uuid);
  if (record != nullptr) {
    line["record_kernel"] = record->key.kernel;
    line["record_problem"] = to_json(record->key.problem);
    line["record_configuration"] = to_json(record->configuration);
    line["device_class"] = record->key.device_class;
    line["regime"] = record->key.regime;
    line["objective"] = record->key.objective;
    line["origin"] = to_text(record->origin);
    line["source"] = record->source;
    line["made_ms"] = record->made_ms;
  }
  if (reason.cover != nullptr) {
    line["cover"] = json_of(*reason.cover);
    line["source"] = source;
  }
  print_line(line);
}

std::string made_text(const RecordKey& key, const std::string& device_name, std::int64_t made_ms) {
  return fmt::format("on {}, {}, {}; {}", device_name, key.regime, key.objective, utc_text(made_ms));
}

void show_reason(const RecordReason& reason, const std::string& source) {
  const std::string place = reason.place == 0 ? "-" : std::to_string(reason.place);
  constexpr std::size_t rung_columns = 15, column = 2 + 3 + 2;
  const Record* const record = reason.record;
  const Cover* const cover = reason.cover;
  const bool is_fallback = record == nullptr && cover == nullptr;
  put_text("  {:>3}  {:<{}}{}\n", place, is_fallback ? "fall-back" : to_text(reason.rung), rung_columns,
           has_configuration(reason) ? in_lines(whole_text(reason.configuration), column + rung_columns)
                                     : "no configuration");
  const std::string what =
      record != nullptr ? fmt::format("{} {} {}", record->key.kernel, record->key.problem.text(),
                                      made_text(record->key, record->device_name, record->made_ms))
      : cover != nullptr
          ? fmt::format("cover of {}, made of {} {}; from {}", cover->key.kernel, counted(cover->problems, "problem"),
                        made_text(cover->key, cover->device_name, cover->made_ms), source)
          : "";
  if (!what.empty()) put_text("{:{}}{}\n", "", column, in_lines(what, column));
  put_text("{:{}}{}\n", "", column, in_lines(advice_in(reason.why).text, column));
}

}  // namespace

void show_reasons(const PlanQuery& query, const Problem& problem, const DeviceInfo& device) {
  std::optional<WisdomStore> store = stored_wisdom(query.database);
  const KernelPack kernel = make_pack(query.spec, query.kernel);
  const MatchRequest request{query.spec,      problem,         device, kernel.tune_target, to_text(query.regime),
                             query.objective, kernel.fallbacks};
  const Fingerprints& fingerprints = query.spec.fingerprints;
  std::vector<Record> records = records_elsewhere(query);
  if (store)
    std::ranges::move(all_records(*store, {query.spec.name, fingerprints.code, fingerprints.contract, "", {}, "", ""}),
                      std::back_inserter(records));
  const auto [covers, sources] = covers_of(query);
  if (!query.json)
    put_text("{}{} of {}; numbers say in which order configurations are tried\n", counted(records.size(), "record"),
             covers.empty() ? "" : " and " + counted(covers.size(), "cover"), query.spec.name);
  for (RecordReason& reason : record_reasons(request, records, covers)) {
    if (store) reason.why += failed_here(request, reason.configuration, *store);
    (query.json ? print_reason : show_reason)(reason,
                                              reason.cover == nullptr ? "" : sources[reason.cover - covers.data()]);
  }
}

}  // namespace attune::cli
