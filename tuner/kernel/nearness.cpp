#include "kernel/nearness.hpp"

#include <algorithm>
#include <cmath>

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
    const auto [low, high] = std::minmax({want->integer(), have->integer()});
    if (low < 1) {
      ++sum.differing;
      continue;
    }
    if (static_cast<std::uint64_t>(high) > 2 * static_cast<std::uint64_t>(low)) sum.within_factor_2 = false;
    // Larger over smaller, so that half and double the size are exactly equally far.
    const double octaves = std::log2(static_cast<double>(high) / static_cast<double>(low));
    sum.squared_octaves += octaves * octaves;
    sum.log2_size += std::log2(static_cast<double>(have->integer()));
  }
  return sum;
}

double multiprocessor_octaves(int recorded, int present) {
  return std::abs(std::log2(std::max(1, recorded) / static_cast<double>(std::max(1, present))));
}

std::string_view kind_of(std::string_view class_key) { return class_key.substr(0, class_key.find('|')); }

}  // namespace attune
