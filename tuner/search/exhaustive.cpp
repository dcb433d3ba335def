// Every legal configuration, in index order.
#include "attune/error.hpp"
#include "search/ledger.hpp"
#include "search/table.hpp"

namespace attune {
namespace {

// How many illegal configurations in a row are skipped in a space that is not exact(): about a second.
constexpr int most_misses = 1'000'000;

class Exhaustive final : public Strategy {
 public:
  explicit Exhaustive(const SearchSpace& space) : space_(space), ledger_(space, 0) {}

  std::optional<Row> ask() override {
    Row row(space_.parameters().size());
    for (int misses = 0; next_ < space_.size(); ++misses) {
      if (misses == most_misses) {
        throw Error(
            "exhaustive search: 1000000 configurations in a row break a restriction that is too large to be "
            "counted; narrow its parameters, or use --strategy random");
      }
      space_.at(next_++, row);
      if ((space_.exact() || space_.contains(row)) && ledger_.claim(row)) return row;
    }
    return std::nullopt;
  }

  void tell(RowView row, const Outcome& outcome) override { ledger_.tell(row, outcome); }

 private:
  const SearchSpace& space_;
  Ledger ledger_;
  SpaceSize next_ = 0;
};

}  // namespace

StrategyEntry exhaustive_strategy() {
  return {"exhaustive",
          "every legal configuration, in index order",
          {},
          [](const SearchSpace& space, std::uint64_t, const StrategyOptions&) {
            return std::make_unique<Exhaustive>(space);
          }};
}

}  // namespace attune
