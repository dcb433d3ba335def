#include "space/hitting_set.hpp"

#include <algorithm>
#include <set>

namespace attune {
namespace {

using ElementSets = std::vector<std::vector<std::size_t>>;

bool holds_any(const std::set<std::size_t>& chosen, const std::vector<std::size_t>& set) {
  return std::ranges::any_of(set, [&](std::size_t element) { return chosen.contains(element); });
}

// Searches for a hitting set of at most a given number of elements.
class HittingSetSearch {
 public:
  HittingSetSearch(const ElementSets& sets, std::uint64_t& steps) : sets_(sets), steps_(steps) {}

  bool hits_within(std::size_t left) {
    if (steps_ == 0) return false;
    --steps_;
    const std::vector<std::size_t>* smallest = nullptr;
    if (least_needed(smallest) > left) return false;
    if (smallest == nullptr) return true;
    for (const std::size_t element : *smallest) {
      chosen_.insert(element);
      if (hits_within(left - 1)) return true;
      chosen_.erase(element);
    }
    return false;
  }

  std::vector<std::size_t> chosen() const { return {chosen_.begin(), chosen_.end()}; }

 private:
  // Returns a lower bound on the number of missing elements: how many unhit sets share no element. Sets `smallest` to
  // the smallest unhit set, to branch on, or leaves it null when all are hit.
  std::size_t least_needed(const std::vector<std::size_t>*& smallest) const {
    std::size_t apart = 0;
    std::set<std::size_t> taken;
    for (const auto& set : sets_) {
      if (holds_any(chosen_, set)) continue;
      if (smallest == nullptr || set.size() < smallest->size()) smallest = &set;
      if (holds_any(taken, set)) continue;
      taken.insert(set.begin(), set.end());
      ++apart;
    }
    return apart;
  }

  const ElementSets& sets_;
  std::uint64_t& steps_;
  std::set<std::size_t> chosen_;
};

}  // namespace

std::optional<std::vector<std::size_t>> smallest_hitting_set(const ElementSets& sets, std::size_t most,
                                                             std::uint64_t& steps) {
  for (std::size_t size = 0; size <= most && steps > 0; ++size) {
    HittingSetSearch search(sets, steps);
    if (search.hits_within(size)) return search.chosen();
  }
  return std::nullopt;
}

}  // namespace attune
