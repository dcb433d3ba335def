// What a report is made of: one session with its record and finalists, and the kernel's other records. Plain values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advice/importance.hpp"
#include "attune/search_space.hpp"
#include "core/occupancy.hpp"
#include "db/wisdom_store.hpp"

namespace attune::cli {

// Which session is reported: the newest that fits.
struct ReportQuery {
  std::string kernel;              // its name
  std::string called;              // what commands call it: its name, or the name of its file
  std::optional<KernelSpec> spec;  // its text, if it is at hand
  Bindings problem;                // a part of the problem's values
  std::string device;              // as newest_session() takes it; "": any
  bool shows_names = false;        // folders, users and hosts in logs
};

struct ReportData {
  std::string kernel, called;      // its name; what commands call it
  std::optional<KernelSpec> spec;  // the text that the session tuned; nothing if it is not at hand, or has changed
  bool has_other_text = false;     // a text was at hand, and it has changed
  SessionRow session;
  std::vector<Trial> trials;                   // in the order of their verdicts
  std::vector<double> seconds;                 // of searching until each trial's verdict; longer pauses are left out
  std::optional<Record> record;                // that serves for the session's key
  std::vector<FinalistResult> finalists;       // of the record
  std::vector<Ceiling> ceilings;               // of the session's class of devices
  std::vector<Record> records;                 // of the kernel, for all problems and devices
  std::optional<DeviceInfo> device;            // the session's, if its architecture is known
  std::optional<MultiprocessorLimits> limits;  // of that device, if it is a GPU
  Configuration default_configuration;
  std::optional<SpaceSize> legal;  // configurations of the kernel's space
  std::optional<Importance> importance;

  const Trial* find(const Configuration& configuration) const;  // null: not tried
  // Returns the configuration to use: the record's, else that of the fastest trial; nothing if none survived.
  std::optional<Configuration> chosen() const;
  const Trial* best() const;  // its trial; null: none survived, or another session found it
};

// Reads what is reported. `query.kernel` must be set. Throws UsageError naming what was not found.
ReportData read_report(WisdomStore& store, ReportQuery query);

// Returns what a block of a trial takes; nothing where the trial has not stored it, and for a device that is no GPU.
std::optional<BlockUse> block_use_of(const ReportData& data, const Trial& trial);
// Returns how well a trial fills the device's multiprocessors; nothing where block_use_of() returns nothing.
std::optional<Occupancy> occupancy_of(const ReportData& data, const Trial& trial);

// A finalist's time over the best one's, as the median of paired ratios.
struct PairedRatio {
  double ratio = 1, low = 1, high = 1;  // with its 95 % interval
};
// Returns nothing if the finalist left the final stage early, so that its rounds are not the best one's.
std::optional<PairedRatio> ratio_to(const FinalistResult& finalist, const FinalistResult& best);
// Returns whether a finalist is as fast as the best: the interval contains 1, or the ratio is within 0.25 %.
bool is_tied(const PairedRatio& ratio);

}  // namespace attune::cli
