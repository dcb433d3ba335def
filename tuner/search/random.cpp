// Uniform over the legal configurations, without repetition.
#include "search/ledger.hpp"
#include "search/table.hpp"

namespace attune {
namespace {

class Random final : public Strategy {
 public:
  Random(const SearchSpace& space, std::uint64_t seed) : ledger_(space, seed) {}
  std::optional<Row> ask() override { return ledger_.claim_random(); }
  void tell(RowView row, const Outcome& outcome) override { ledger_.tell(row, outcome); }

 private:
  Ledger ledger_;
};

}  // namespace

StrategyEntry random_strategy() {
  return {"random",
          "uniform over the legal configurations, without repetition",
          {},
          [](const SearchSpace& space, std::uint64_t seed, const StrategyOptions&) {
            return std::make_unique<Random>(space, seed);
          }};
}

}  // namespace attune
