// What `attune bench` and `attune ladder` share: options of the rounds, notes, and the record that is compared too.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "apps/terminal/live_line.hpp"
#include "core/record.hpp"
#include "options.hpp"
#include "session/observer.hpp"
#include "session/side_by_side.hpp"

namespace attune::cli {

// Prints what the user should know, and measures. On a terminal a line says how long that has taken.
class Notes final : public Observer {
 public:
  explicit Notes(bool json) : json_(json) {}
  void note(const std::string& text) override;
  // Does what measure_side_by_side() does.
  std::vector<SideBySide> measure(SideBySideRequest request, const KernelSubject& subject, Pool& pool,
                                  const std::atomic<int>& stop);

 private:
  const bool json_;
  LiveLine line_;
};

// Adds --rounds, --time-limit, --device, --db and --json.
void add_comparison_options(Options& options, const char* until);
// Returns the protocol that --rounds and --time-limit ask for; otherwise rounds end when ratios are known within
// `settled` (of a log-ratio).
Protocol protocol_wanted(const Options& options, double settled);
// Throws UsageError for a recording and for an architecture.
void refuse_what_runs_nothing(const std::string& device);

// Returns the current record of a kernel for a problem, by time; nothing without a database, which is not made.
std::optional<Record> stored_record(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                                    Regime regime, const std::string& database);

// Returns NAME, NAME_low and NAME_high.
nlohmann::ordered_json estimate_fields(const std::string& name, const Estimate& estimate);

// Returns whether a configuration failed.
bool has_failed(const SideBySide& compared);

}  // namespace attune::cli
