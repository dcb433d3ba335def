#include "search/random_order.hpp"

#include <map>
#include <random>
#include <set>

namespace attune {
namespace {

// A Fisher-Yates shuffle of the indices 0 .. size-1 that stores only the places it has touched, so that a space of any
// size costs memory for its proposals alone.
class RandomOrder final : public Strategy {
 public:
  RandomOrder(const SearchSpace& space, std::uint64_t seed) : space_(space), random_(seed) {}

  std::optional<Configuration> ask() override {
    while (taken_ < space_.size()) {
      const SpaceSize index = draw();
      if (seen_.insert(index).second) return space_.at(index);
    }
    return std::nullopt;
  }

  void tell(const Trial& trial) override {
    if (const auto index = space_.index_of(trial.configuration)) seen_.insert(*index);
  }

 private:
  SpaceSize draw() {
    const SpaceSize place = taken_ + below(space_.size() - taken_);
    const SpaceSize chosen = at(place);
    moved_[place] = at(taken_);
    moved_.erase(taken_++);
    return chosen;
  }

  SpaceSize at(SpaceSize place) const {
    const auto found = moved_.find(place);
    return found == moved_.end() ? place : found->second;
  }

  // Uniform in 0 .. limit-1: rejection on 128 random bits, so the same on every standard library.
  SpaceSize below(SpaceSize limit) {
    const SpaceSize threshold = (SpaceSize{0} - limit) % limit;
    for (;;) {
      const SpaceSize high = random_();
      const SpaceSize bits = (high << 64) | random_();
      if (bits >= threshold) return bits % limit;
    }
  }

  const SearchSpace& space_;
  std::mt19937_64 random_;
  SpaceSize taken_ = 0;
  std::map<SpaceSize, SpaceSize> moved_;
  std::set<SpaceSize> seen_;
};

}  // namespace

std::unique_ptr<Strategy> make_random(const SearchSpace& space, std::uint64_t seed) {
  return std::make_unique<RandomOrder>(space, seed);
}

}  // namespace attune
