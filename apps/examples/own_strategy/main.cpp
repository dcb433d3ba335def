// A search strategy of one's own, and with it the whole command line:
//   own_strategy tune reduce --device host --strategy mine:jump=0.2
// It tries the neighbours of the best configuration so far, and now and then one from anywhere.
#include <random>
#include <set>

#include "attune/command_line.hpp"
#include "attune/strategy.hpp"

namespace {

class Mine final : public attune::Strategy {
 public:
  Mine(const attune::SearchSpace& space, std::uint64_t seed, double jump)
      : space_(space), anywhere_(space, seed), random_(seed), jump_(jump) {}

  std::optional<attune::Row> ask() override {
    attune::Row row(space_.parameters().size());
    constexpr auto any = attune::Neighbourhood::any_value;
    for (int i = 0; i < 20 && !best_.empty() && random_() >= jump_ * 0x1p64; ++i) {
      if (space_.random_neighbour(best_, any, random_, row) && seen_.insert(row).second) return row;
    }
    while (const auto index = anywhere_.next_index()) {
      space_.at(*index, row);
      if (seen_.insert(row).second) return row;
    }
    return std::nullopt;  // everything was tried
  }

  void tell(attune::RowView row, const attune::Outcome& outcome) override {
    const attune::Row told(row.begin(), row.end());
    seen_.insert(told);  // also for configurations that this strategy never proposed: the default, and known results
    if (!outcome.valid || (!best_.empty() && outcome.objective >= objective_)) return;
    best_ = told;
    objective_ = outcome.objective;
  }

 private:
  const attune::SearchSpace& space_;
  attune::SampleStream anywhere_;  // every legal configuration once, in random order
  std::mt19937_64 random_;
  const double jump_;
  std::set<attune::Row> seen_;
  attune::Row best_;
  double objective_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  attune::register_strategy({"mine",
                             "neighbours of the best so far",
                             {{"jump", "share of random ones", 0.1, 0, 1}},
                             [](const auto& space, std::uint64_t seed, const attune::StrategyOptions& options) {
                               return std::make_unique<Mine>(space, seed, options.number("jump"));
                             }});
  return attune::run_command_line(argc, argv);
}
