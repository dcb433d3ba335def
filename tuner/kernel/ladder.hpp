// The match ladder: which recorded configurations fit a request, best first. Pure: the same records and the same
// request give the same answer, whatever the order in which the records come. Any thread.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/device_info.hpp"
#include "attune/kernel_spec.hpp"
#include "attune/match.hpp"
#include "core/record.hpp"

namespace attune {

// A view: what it points to must outlive it.
struct MatchRequest {
  const KernelSpec& spec;
  const Problem& problem;  // complete
  const DeviceInfo& device;
  std::string tune_target;  // what `attune tune` calls the kernel: a built-in name or a file
  std::string_view regime = "cold";
  std::string_view objective = "time";
};

struct GradedMatch {
  Match match;
  std::string toolchain;  // that the record was measured with
};

// Whether a record may be used at all: the same code and contract, regime and objective, measured on the same kind of
// device.
bool same_family(const MatchRequest& request, const RecordKey& key);

// The configuration in the order of [parameters] if it is legal for this request, else nothing.
using LegalityCheck = std::function<std::optional<Configuration>(const Configuration&)>;

// The best record of every rung that has one, in the order of the rungs; `none` is not among them (no_match()).
//   exact           same device class and problem
//   stale           so, but measured with another driver (another toolchain: grade_toolchain())
//   near problem    same device class and types; integers equal, every size within a factor of 2; the least sum of
//                   squared log2 ratios, then the larger problem, then the lesser uuid
//   sibling device  same problem, another class of the same kind and compute capability; the nearest number of
//                   multiprocessors, then the lesser uuid
// Never across kind, code or contract fingerprint, regime or objective; never an illegal configuration. The same kernel
// under another name counts, after one of its own name.
std::vector<GradedMatch> match_ladder(const MatchRequest& request, std::span<const Record> records,
                                      const LegalityCheck& legal);

// The toolchain is known only once there is an image or a compiler: an exact match made with another one is stale.
// An empty `present` is an unknown one and changes nothing.
void grade_toolchain(GradedMatch& graded, const MatchRequest& request, std::string_view present);

// The last rung: the default configuration, and what to do about it.
Match no_match(const MatchRequest& request, Configuration default_configuration);

// `attune tune transpose --problem "width=8 height=8 T=float" --device host`
std::string tune_command(const MatchRequest& request);

}  // namespace attune
