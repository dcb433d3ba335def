#include "comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "attune/error.hpp"
#include "base/duration_text.hpp"
#include "db/wisdom_store.hpp"
#include "json_lines.hpp"
#include "put_text.hpp"
#include "replay.hpp"
#include "stop_requests.hpp"
#include "text.hpp"

namespace attune::cli {

void Notes::note(const std::string& text) {
  if (json_) return print_line({{"type", "note"}, {"text", text}});
  const std::unique_lock<std::mutex> away = line_.away();
  put_text("{}", note_line(text));
  std::fflush(stdout);
}

std::vector<SideBySide> Notes::measure(SideBySideRequest request, const KernelSubject& subject, Pool& pool,
                                       const std::atomic<int>& stop) {
  if (!json_)
    line_.show([](double seconds) { return "  compiling and comparing, " + duration_text(std::round(seconds)); });
  request.compared = [this, shows = std::move(request.compared)](const SideBySide& compared) {
    const std::unique_lock<std::mutex> away = line_.away();
    shows(compared);
  };
  std::vector<SideBySide> compared = measure_side_by_side(request, subject, pool, *this, stop);
  line_.hide();
  return compared;
}

void add_comparison_options(Options& options, const char* until) {
  options.add()("rounds", named_value("N"), until)("time-limit", named_value("TIME"),
                                                   "of the rounds of each table (default: 15s; with --rounds none)")(
      "device,d", named_value("DEVICE"), "cuda, cuda:N or host (default: $ATTUNE_DEVICE, else cuda)")(
      "db", named_value("FILE"), "the wisdom database (default: $ATTUNE_DB, else the user's own)")(
      "verbose,v", "whole configurations below the tables, not what differs")(
      "json", "one JSON object per line instead of text");
  add_worker_option(options);
}

Protocol protocol_wanted(const Options& options, double settled) {
  Protocol protocol;
  protocol.settled_log_ratio = settled;
  if (const auto rounds = options.integer("rounds", 1, 1'000'000)) {
    protocol.final_rounds_max = static_cast<int>(*rounds);
    protocol.final_seconds = Pool::forever;
    protocol.settled_log_ratio = -1;  // no half width is enough
  }
  protocol.final_seconds = options.seconds("time-limit").value_or(protocol.final_seconds);
  return protocol;
}

void refuse_what_runs_nothing(const std::string& device) {
  if (is_replay(device) || is_architecture(device))
    throw UsageError("nothing runs on `" + device + "`; take cuda, cuda:N or host");
}

std::optional<Record> stored_record(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                                    Regime regime, const std::string& database) {
  std::error_code unknown;
  if (!std::filesystem::exists(database, unknown) && !unknown) return std::nullopt;
  WisdomStore store(database, WisdomStore::Access::read_only, {note_on_stderr, &stop_requests});
  RecordKey key;
  key.kernel = spec.name;
  key.code = spec.fingerprints.code;
  key.contract = spec.fingerprints.contract;
  DeviceInfo known = device;
  apply_aliases(known, store.aliases());
  key.device_class = known.class_key();
  key.problem = problem;
  key.regime = std::string(to_text(regime));
  return store.find_record(key);
}

nlohmann::ordered_json estimate_fields(const std::string& name, const Estimate& estimate) {
  return {{name, estimate.value}, {name + "_low", estimate.interval.low}, {name + "_high", estimate.interval.high}};
}

bool has_failed(const SideBySide& compared) {
  return std::any_of(compared.rows.begin(), compared.rows.end(), [](const SideBySideRow& row) {
    const bool declines = row.is_peer && row.status.verdict == Verdict::restricted;
    return !row.is_copy && !row.status.ok() && !declines;
  });
}

}  // namespace attune::cli
