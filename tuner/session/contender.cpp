#include "session/contender.hpp"

#include <algorithm>

namespace attune {

std::vector<Contender*> staying(std::vector<Contender>& contenders) {
  std::vector<Contender*> stayed;
  for (Contender& contender : contenders)
    if (!contender.has_left && !contender.is_lost) stayed.push_back(&contender);
  return stayed;
}

std::vector<const Contender*> left(const std::vector<Contender>& contenders) {
  std::vector<const Contender*> left;
  for (auto one = contenders.rbegin(); one != contenders.rend(); ++one)
    if (one->has_left) left.push_back(&*one);
  std::stable_sort(left.begin(), left.end(),
                   [](const Contender* a, const Contender* b) { return a->times_ns.size() < b->times_ns.size(); });
  return left;
}

RoundTimes rounds_of(const std::vector<Contender*>& present) {
  RoundTimes rounds;
  if (present.empty()) return rounds;
  rounds.resize(present.front()->times_ns.size(), std::vector<double>(present.size()));
  for (std::size_t c = 0; c < present.size(); ++c)
    for (std::size_t r = 0; r < rounds.size(); ++r) rounds[r][c] = present[c]->times_ns[r];
  return rounds;
}

}  // namespace attune
