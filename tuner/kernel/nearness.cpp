#include "kernel/nearness.hpp"

#include <algorithm>

namespace attune {

bool same_problem(const Problem& a, const Problem& b) {
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const Binding& binding) {
           const Value* other = b.find(binding.name);
           return other && *other == binding.value;
         });
}

ProblemDistance problem_distance(const KernelSpec& spec, const Problem& asked, const Problem& known) {
  ProblemDistance sum;
  if (asked.size() != known.size()) ++sum.differing;
  for (const ProblemParameter& parameter : spec.problem) {
    const Value* want = asked.find(parameter.name);
    const Value* have = known.find(parameter.name);
    const bool is_size = parameter.kind == ProblemKind::size;
    if (!want || !have || (is_size && (!want->is_integer() || !have->is_integer()))) {
      ++sum.differing;
      continue;
    }
    if (!is_size) {
      if (*want != *have) ++sum.differing;
      continue;
    }
    add_size(sum, want->integer(), have->integer());
  }
  return sum;
}

std::string_view kind_of(std::string_view class_key) { return class_key.substr(0, class_key.find('|')); }

}  // namespace attune
