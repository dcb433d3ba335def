// attune space --list, --sample
#include <fmt/format.h>

#include <optional>
#include <set>

#include "command.hpp"
#include "json_lines.hpp"
#include "put_text.hpp"
#include "space_views.hpp"

namespace attune::cli {
namespace {

constexpr int most_misses = 1'000'000;  // configurations in a row; about a second

using Json = nlohmann::ordered_json;

void show_one(const Configuration& configuration, std::optional<SpaceSize> index, bool json) {
  if (!json) {
    put_text("{}\n", configuration.text());
    return;
  }
  Json line;
  line["type"] = "configuration";
  line["index"] = index ? Json(to_text(*index)) : Json(nullptr);
  line["configuration"] = to_json(configuration);
  print_json(line);
}

// Beyond 2^128, some configurations have no index to draw.
void show_sample_without_indices(const SearchSpace& space, SpaceSize most, std::uint64_t seed, bool json) {
  std::mt19937_64 random(seed);
  std::set<Row> shown;
  Row row(space.parameters().size());
  for (int misses = 0; shown.size() < most && misses < most_misses; ++misses) {
    space.sample(random, row);
    if (!shown.insert(row).second) continue;
    misses = 0;
    show_one(space.configuration(row), std::nullopt, json);
  }
}

int nothing_to_show(const AskedSpace& asked) {
  put_error("no configuration of " + asked.title() + " is legal; --audit says why");
  return exit_no_survivor;
}

}  // namespace

int show_list(const AskedSpace& asked, SpaceSize most, bool json) {
  const SearchSpace& space = asked.space;
  if (space.empty()) return nothing_to_show(asked);
  Row row(space.parameters().size());
  int misses = 0;  // in a row, of a space that is not exact
  for (SpaceSize index = 0, shown = 0; index < space.size() && shown < most; ++index) {
    space.at(index, row);
    if (!space.exact() && !space.contains(RowView(row))) {
      if (++misses < most_misses) continue;
      throw Error(fmt::format("{} configurations in a row break `{}`, which is too large to be counted; use --sample",
                              most_misses, space.rules()[space.left_out()[0]].expression.text()));
    }
    misses = 0;
    show_one(space.configuration(row), index, json);
    ++shown;
  }
  return exit_done;
}

int show_sample(const AskedSpace& asked, SpaceSize most, std::uint64_t seed, bool json) {
  const SearchSpace& space = asked.space;
  if (space.empty()) return nothing_to_show(asked);
  if (space.size_saturated()) {
    show_sample_without_indices(space, most, seed, json);
    return exit_done;
  }
  SampleStream stream(space, seed);
  for (SpaceSize shown = 0; shown < most; ++shown) {
    const auto index = stream.next_index();
    if (!index) break;
    show_one(space.at(*index), *index, json);
  }
  return exit_done;
}

}  // namespace attune::cli
