#include "search/random_order.hpp"

#include <set>

namespace attune {
namespace {

class RandomOrder final : public Strategy {
 public:
  RandomOrder(const SearchSpace& space, std::uint64_t seed) : space_(space), stream_(space, seed) {}

  std::optional<Configuration> ask() override {
    while (const auto index = stream_.next_index()) {
      if (seen_.insert(*index).second) return space_.at(*index);
    }
    return std::nullopt;
  }

  void tell(const Trial& trial) override {
    if (const auto index = space_.index_of(trial.configuration)) seen_.insert(*index);
  }

 private:
  const SearchSpace& space_;
  SampleStream stream_;
  std::set<SpaceSize> seen_;
};

}  // namespace

std::unique_ptr<Strategy> make_random(const SearchSpace& space, std::uint64_t seed) {
  return std::make_unique<RandomOrder>(space, seed);
}

}  // namespace attune
