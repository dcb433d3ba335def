// Expected improvement under a Gaussian process over the legal configurations. This surrogate was chosen for three
// reasons. Legal configurations can be listed or sampled, so that no relaxation to real numbers is needed. The fitted
// length of each parameter shows after some dozen outcomes whether the parameter matters. Each outcome is added without
// a new fit.
#include "search/model/model_search.hpp"
#include "search/table.hpp"

namespace attune {

StrategyEntry bayesian_strategy() {
  return {"bayesian",
          "expected improvement under a Gaussian process over the legal configurations",
          {{"initial", "configurations far from each other before there is a model", 5, 2, 1000, true, {}},
           {"smooth", "valid outcomes up to which likelier means matern", 40, 0, 2000, true, {}},
           {"most", "valid outcomes that the model takes; of more, the best and some others", 300, 10, 2000, true, {}},
           {"pool", "configurations looked at for one proposal, of spaces with more", 10000, 100, 100000, true, {}},
           {"falloff", "of likeness with distance", 0, 0, 2, true, {"likelier", "matern", "exponential"}}},
          [](const SearchSpace& space, std::uint64_t seed, const StrategyOptions& options) {
            ModelSettings settings;
            settings.initial = options.count("initial");
            settings.smooth_until = options.count("smooth");
            settings.most = options.count("most");
            settings.pool = options.count("pool");
            settings.falloff = static_cast<ModelSettings::FalloffChoice>(options.count("falloff"));
            return std::make_unique<ModelSearch>(space, seed, settings);
          }};
}

}  // namespace attune
