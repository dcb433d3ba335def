#include "kernel/empty_problem.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace attune {

bool launches_nothing(const KernelSpec& spec, const Problem& problem) {
  return spec.may_be_empty && std::ranges::any_of(spec.problem, [&](const ProblemParameter& parameter) {
           return parameter.kind == ProblemKind::size && problem.at(parameter.name).integer() == 0;
         });
}

Match match_of_nothing(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device) {
  Match match;
  match.rung = Rung::exact;
  match.why = fmt::format("{} launches nothing for {} on {}, because a size is 0 ([kernel] empty = \"nothing\")",
                          spec.name, problem.text(), device.name);
  return match;
}

}  // namespace attune
