// A search space of an application's own: no kernel, no device.
#include <cstdio>
#include <random>

#include "attune/search_space.hpp"

int main() try {
  const attune::SearchSpace space({{"TILE", {16, 32, 64, 128}}, {"ROWS", {1, 2, 4, 8, 16}}, {"VECTOR", {1, 2, 4}}},
                                  {"TILE % (ROWS * VECTOR) == 0", "TILE / VECTOR * ROWS in [64, 128, 256]"});
  std::printf("%s legal of %s\n", attune::to_text(space.size()).c_str(),
              attune::to_text(space.cartesian_size()).c_str());

  std::mt19937_64 random(1);
  const attune::Configuration drawn = space.sample(random);
  std::printf("drawn     %s, index %s\n", drawn.text().c_str(), attune::to_text(*space.index_of(drawn)).c_str());
  for (const auto& near : space.neighbours(drawn, attune::Neighbourhood::any_value))
    std::printf("beside it %s\n", near.text().c_str());

  const attune::Configuration wished({{"TILE", 128}, {"ROWS", 16}, {"VECTOR", 1}});
  for (const auto& broken : space.broken_rules(wished)) std::printf("illegal   %s\n", broken.c_str());
  std::printf("repaired  %s\n", space.nearest(wished)->text().c_str());
} catch (const std::exception& error) {
  std::fprintf(stderr, "search_space: %s\n", error.what());
  return 1;
}
