// attune's own choice: a model while that pays, then the neighbours of the best configurations.
#include "search/model/model_search.hpp"
#include "search/table.hpp"

namespace attune {

StrategyEntry auto_strategy() {
  return {"auto",
          "the default: a model of the space from the first outcomes on, then the neighbours of the best",
          {},
          [](const SearchSpace& space, std::uint64_t seed, const StrategyOptions&) {
            ModelSettings settings;
            settings.ends_local = true;
            return std::make_unique<ModelSearch>(space, seed, settings);
          }};
}

}  // namespace attune
