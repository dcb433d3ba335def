// ModelSearch: proposes what a Gaussian process expects to improve most on the best configuration. The model takes over
// after the first handful of outcomes. `bayesian` and `auto` use this search. One thread.
#pragma once

#include <deque>
#include <memory>

#include "search/ledger.hpp"
#include "search/model/surface.hpp"
#include "search/model/trend.hpp"

namespace attune {

struct ModelSettings {
  std::size_t initial = 5;  // outcomes of configurations far from each other, before there is a model
  // With fewer valid outcomes than this the smooth model is used, because it finds good regions sooner. From then on
  // the likelier model is used, which is often the rough one: it leaves a region sooner.
  std::size_t smooth_until = 40;
  std::size_t most = 300;    // valid outcomes that the model takes at most
  std::size_t pool = 10000;  // the most configurations in the pool, which each proposal examines
  enum class FalloffChoice { likelier, matern, exponential } falloff = FalloffChoice::likelier;
  bool ends_local = false;  // after `most` outcomes, failed ones included, neighbours of the best replace the model
};

class ModelSearch final : public Strategy {
 public:
  ModelSearch(const SearchSpace& space, std::uint64_t seed, ModelSettings settings);
  bool learn_from(const Experience& experience) override;
  std::optional<Row> ask() override;
  void tell(RowView row, const Outcome& outcome) override;

 private:
  // One of the best configurations so far, and whether all its neighbours were proposed.
  struct Peak {
    Row row;
    double value = 0;
    bool exhausted = false;
  };

  struct Prospect {
    double worth = 0;
    Row row;
    std::size_t in_pool = 0;  // its place in the pool; the pool's size if it is not in the pool
  };

  bool has_model() const;
  std::optional<Row> claim_spread();
  std::optional<Row> claim_by_model();
  std::optional<Row> claim_first(const std::vector<Prospect>& hopes);
  std::optional<Row> claim_near_best();
  void refit();
  GaussianProcess fitted_process(const Observations& known);
  GaussianProcess early_process(const Observations& known) const;
  Observations observations() const;  // of valid outcomes, less the trend
  bool pool_is_all() const { return space_.exact() && space_.size() <= settings_.pool; }
  std::vector<Row> pool();
  std::vector<Prospect> hopes_in_pool() const;
  std::vector<Prospect> hopes_near_best() const;
  void observe(const Row& row, const Outcome& outcome);
  double worth_of(std::size_t in_pool) const;
  double improvement(const Prediction& prediction) const;
  double crowding(const Row& row) const;

  const SearchSpace& space_;
  const ModelSettings settings_;
  Ledger ledger_;
  std::mt19937_64 random_;
  const std::vector<Axis> axes_;
  Trend trend_;
  std::vector<std::pair<Row, Outcome>> told_;
  std::vector<Row> waiting_;  // proposed, without an outcome
  std::vector<Peak> peaks_;   // the best first
  std::size_t next_fit_ = 0;  // at so many outcomes
  GaussianProcess matern_, exponential_;
  std::unique_ptr<Surface> surface_;
  std::vector<std::uint8_t> used_;  // by row of the surface: it was proposed or has an outcome
  bool best_is_new_ = false;        // it was found since the pool was filled
};

}  // namespace attune
