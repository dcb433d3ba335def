// The match ladder: which records fit a request, best first. Pure: the answer does not depend on the order of the
// records. Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/device_info.hpp"
#include "attune/kernel_spec.hpp"
#include "attune/match.hpp"
#include "core/record.hpp"
#include "kernel/nearness.hpp"

namespace attune {

// Exported headers hold this text too: it includes nothing.
#include "kernel/ladder.inc"

// A view: what it points to must outlive it.
struct MatchRequest {
  const KernelSpec& spec;
  const Problem& problem;  // complete
  const DeviceInfo& device;
  std::string tune_target;  // the kernel as `attune tune` names it: a built-in name or a file
  std::string_view regime = "cold";
  std::string_view objective = "time";
  std::span<const Configuration> fallbacks = {};  // tried in this order; none: the first value of each parameter
  bool deterministic_only = false;                // other configurations are of no use
};

// Of a kernel, at most.
inline constexpr std::size_t most_fallbacks = 16;

struct GradedMatch {
  Match match;
  std::string toolchain;        // of the record's measurement
  bool is_last_resort = false;  // to be used only after what comes before has failed
};

// Returns whether a record may be used at all. Code, contract, objective and device kind must be equal.
bool same_family(const MatchRequest& request, const RecordKey& key);

// Returns the configuration in the order of [parameters] if it is legal for this request, and deterministic where the
// request says so; else nothing.
std::optional<Configuration> usable_configuration(const MatchRequest& request, const Configuration& wished);

// Returns whether the record's own measurement says that the default is faster, by its objective or by its time.
bool is_default_faster(const Record& record);

// Returns the records that fit, best first, in the order of the rungs. What serves without such a record,
// add_last_rungs() adds.
//   exact           same device class, problem and regime
//   stale           so, but measured with another driver (another toolchain: grade_toolchain()), or when times meant
//                   something else
//   other regime    same device class and problem, tuned for another regime
//   near problem    same device class and types; integers equal, every size within a factor of 2. Least sum of squared
//                   log2 ratios, then the larger problem
//   sibling device  same problem, another class of the same kind and compute capability. Nearest number of
//                   multiprocessors
// and of those that add_last_rungs() gives
//   other problem   same device class, any problem and regime. Most equal names, the regime, then as near problems
// Kind, code, contract and objective must be equal, and the configuration usable; on `near problem` and `sibling
// device` the regime too. The same kernel under another name counts, after a record of its own name. What then still
// ties, is_stronger() decides (core/record_order.hpp). A rung has up to four records of different configurations, the
// best first: one that does not compile gives way to the next.
//
// A record of a rung that is no promise for this problem: where it says itself that the default is faster, it
// stands for the first fall-back that is legal here, not for what was found.
std::vector<GradedMatch> match_ladder(const MatchRequest& request, std::span<const Record> records);

// Adds what is tried behind the records that fit: the legal fall-backs (`none`), then the legal configurations of other
// problems. Where the default here, the first of these fall-backs, is known to fail on this device class, other
// problems come first. A fall-back that is known to fail comes last. Of the records of this device class that have it
// as default, the nearest knows. `near_miss`: as no_match() takes it.
void add_last_rungs(std::vector<GradedMatch>& ladder, const MatchRequest& request, std::span<const Record> records,
                    std::string_view near_miss);

// Makes an exact match stale if its record was made with another toolchain. Only an image or a compiler shows the
// present one. An empty `present` is unknown and changes nothing.
void grade_toolchain(GradedMatch& graded, const MatchRequest& request, std::string_view present);

// Returns the rung `none`: the default configuration, why no record serves (say_near_miss(), "": there is none), and
// the next step. `failed`: a record that says that this default fails.
Match no_match(const MatchRequest& request, Configuration default_configuration, std::string_view near_miss = {},
               const Record* failed = nullptr);

// Returns `attune tune transpose --problem "width=8 height=8 T=float" --device host`.
std::string tune_command(const MatchRequest& request);
// Returns so much of any command: `attune check transpose --problem "width=8 height=8 T=float" --device host`.
std::string command_for(const MatchRequest& request, std::string_view command);

}  // namespace attune
