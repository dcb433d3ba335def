// The match ladder: which records fit a request, best first. Pure; the answer does not depend on the order in which
// records are given. Any thread.
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
#include "core/cover.hpp"
#include "core/record.hpp"
#include "kernel/nearness.hpp"

namespace attune {

// Exported headers contain this text too; therefore it includes nothing.
#include "kernel/ladder.inc"

// A view: what it points to must outlive it.
struct MatchRequest {
  const KernelSpec& spec;
  const Problem& problem;  // complete
  const DeviceInfo& device;
  std::string tune_target;  // the kernel as `attune tune` names it: a built-in name or a file
  std::string_view regime = "cold";
  std::string_view objective = "time";
  std::span<const Configuration> fallbacks = {};  // tried in this order; empty: the first value of each parameter
  bool deterministic_only = false;                // other configurations do not serve
};

// The most fall-backs that a kernel has.
inline constexpr std::size_t most_fallbacks = 16;

// How many records of a rung may be tried, the best first.
inline constexpr int most_of_rung = 4;

struct GradedMatch {
  Match match;
  std::string toolchain;        // with which the record was measured
  bool is_last_resort = false;  // to be used only after all matches before it have failed
  std::string uuid = {};        // of the record; "" for a fall-back
};

// Returns whether a record may be used at all: code, contract, objective and device kind must be equal.
bool same_family(const MatchRequest& request, const RecordKey& key);

// Returns the default of this request: the first of the legal fall-backs, deterministic where the request says so; or
// nothing.
std::optional<Configuration> default_of(const MatchRequest& request);

// Returns the configuration in the order of [parameters] if it is legal for this request, and deterministic where the
// request says so; else nothing.
std::optional<Configuration> usable_configuration(const MatchRequest& request, const Configuration& wished);

// Returns where a record of the same family stands. Rung `none`: it does not fit.
Standing standing_of(const MatchRequest& request, const Record& record);

// Returns whether the record's own measurement says that the default is faster, by the record's objective or by time.
bool is_default_faster(const Record& record);

// Returns the records that fit, best first, in the order of the rungs. add_last_rungs() adds what serves when there is
// no such record.
//   exact           same device class, problem and regime
//   stale           as exact, but measured with another driver (another toolchain: grade_toolchain()), or when times
//                   meant something else
//   other regime    same device class and problem, tuned for another regime
//   cover           same device class and regime, types and choices that were measured for a cover; any sizes
//   near problem    same device class, types and choices; integers equal, every size within a factor of 2. Least sum
//                   of squared log2 ratios, then the larger problem
//   sibling device  same problem, another class of the same kind and compute capability. Nearest number of
//                   multiprocessors
// add_last_rungs() gives the rung
//   other problem   same device class, any problem and regime. Most equal names, then the same regime, then as for near
//                   problems
// On all rungs device kind, code, contract and objective must be equal and the configuration usable; on `near problem`
// and `sibling device` the regime must be equal too. Records of the same kernel under another name count, after those
// of its own name. is_stronger() decides what still ties (core/record_order.hpp). A rung has up to four records with
// different configurations, the best first, so that one that does not compile gives way to the next.
//
// The rungs `other regime`, `near problem` and `sibling device` are no promise for this problem. If a record there says
// itself that the default is faster, it stands for the first fall-back that is legal here, not for the configuration
// that was found.
std::vector<GradedMatch> match_ladder(const MatchRequest& request, std::span<const Record> records,
                                      std::span<const Cover> covers = {});

// Adds what is tried after the records that fit: the legal fall-backs (`none`), then the legal configurations of other
// problems. If the default, which is the first of these fall-backs, is known to fail on this device class, other
// problems come first. Fall-backs that are known to fail come last. A fall-back is known to fail if it failed for the
// nearest record of this device class that has it as default. `near_miss`: as for no_match().
void add_last_rungs(std::vector<GradedMatch>& ladder, const MatchRequest& request, std::span<const Record> records,
                    std::string_view near_miss);

// Makes an exact match stale if its record was made with another toolchain than `present`. Only an image or a compiler
// tells the present toolchain; if it is not known, `present` is empty and nothing changes.
void grade_toolchain(GradedMatch& graded, const MatchRequest& request, std::string_view present);

// Returns a match on the rung `none`: the default configuration, why no record serves, and the next step. `near_miss`:
// from say_near_miss(), or "". `failed`: a record in whose session this default failed, or null.
Match no_match(const MatchRequest& request, Configuration default_configuration, std::string_view near_miss = {},
               const Record* failed = nullptr);

// Returns `attune tune transpose --problem "width=8 height=8 T=float" --device host`.
std::string tune_command(const MatchRequest& request);
// Returns such a text for any command, without regime and objective:
// `attune check transpose --problem "width=8 height=8 T=float" --device host`.
std::string command_for(const MatchRequest& request, std::string_view command);

}  // namespace attune
