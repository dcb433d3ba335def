// attune space --list, --sample
#include <fmt/format.h>

#include <iostream>
#include <optional>
#include <set>

#include "command.hpp"
#include "json_lines.hpp"
#include "space_views.hpp"

namespace attune::cli {
namespace {

using Json = nlohmann::ordered_json;

void show_one(const Configuration& configuration, std::optional<SpaceSize> index, bool json) {
  if (!json) {
    fmt::print("{}\n", configuration.text());
    return;
  }
  Json line;
  line["type"] = "configuration";
  line["index"] = index ? Json(to_text(*index)) : Json(nullptr);
  line["configuration"] = to_json(configuration);
  print_json(line);
}

// Beyond 2^128 not every configuration has an index to draw.
void show_sample_without_indices(const SearchSpace& space, SpaceSize most, std::uint64_t seed, bool json) {
  std::mt19937_64 random(seed);
  std::set<Row> shown;
  Row row(space.parameters().size());
  while (shown.size() < most) {
    space.sample(random, row);
    if (shown.insert(row).second) show_one(space.configuration(row), std::nullopt, json);
  }
}

int nothing_to_show(const AskedSpace& asked) {
  std::cerr << "attune: no configuration of " << asked.title() << " is legal; --audit says why\n";
  return kNoSurvivor;
}

}  // namespace

int show_list(const AskedSpace& asked, SpaceSize most, bool json) {
  const SearchSpace& space = asked.space;
  if (space.empty()) return nothing_to_show(asked);
  Row row(space.parameters().size());
  for (SpaceSize index = 0, shown = 0; index < space.size() && shown < most; ++index) {
    space.at(index, row);
    if (!space.exact() && !space.contains(RowView(row))) continue;
    show_one(space.configuration(row), index, json);
    ++shown;
  }
  return kDone;
}

int show_sample(const AskedSpace& asked, SpaceSize most, std::uint64_t seed, bool json) {
  const SearchSpace& space = asked.space;
  if (space.empty()) return nothing_to_show(asked);
  if (space.size_saturated()) {
    show_sample_without_indices(space, most, seed, json);
    return kDone;
  }
  SampleStream stream(space, seed);
  for (SpaceSize shown = 0; shown < most; ++shown) {
    const auto index = stream.next_index();
    if (!index) break;
    show_one(space.at(*index), *index, json);
  }
  return kDone;
}

}  // namespace attune::cli
