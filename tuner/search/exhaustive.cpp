#include "search/exhaustive.hpp"

#include <set>

#include "attune/error.hpp"

namespace attune {
namespace {

// Of a space that is not exact; about a second.
constexpr int most_misses = 1'000'000;

class Exhaustive final : public Strategy {
 public:
  explicit Exhaustive(const SearchSpace& space) : space_(space) {}

  std::optional<Configuration> ask() override {
    for (int misses = 0; next_ < space_.size(); ++misses) {
      if (misses == most_misses) {
        throw Error(
            "exhaustive search: 1000000 configurations in a row break a restriction that is too large to be "
            "counted; narrow its parameters, or use --strategy random");
      }
      const SpaceSize index = next_++;
      if (known_.contains(index)) continue;
      Configuration configuration = space_.at(index);
      if (space_.exact() || space_.contains(configuration)) return configuration;
    }
    return std::nullopt;
  }

  void tell(const Trial& trial) override {
    const auto index = space_.index_of(trial.configuration);
    if (index && *index >= next_) known_.insert(*index);
  }

 private:
  const SearchSpace& space_;
  SpaceSize next_ = 0;
  std::set<SpaceSize> known_;  // told before they were proposed
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive(const SearchSpace& space, std::uint64_t /*seed*/) {
  return std::make_unique<Exhaustive>(space);
}

}  // namespace attune
