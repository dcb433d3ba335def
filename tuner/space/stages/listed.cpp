#include "space/stages/listed.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"

namespace attune::space {
namespace {

constexpr std::uint64_t most_entries = std::uint64_t{1} << 28;  // 4 bytes each

bool is_fixed(const std::vector<Row>& rows, std::size_t parameter) {
  return std::all_of(rows.begin(), rows.end(), [&](const Row& row) { return row[parameter] == rows[0][parameter]; });
}

// A parameter with several values: the values that rows have, and their places.
struct ListedParameter {
  std::uint32_t parameter = 0;
  std::vector<std::uint16_t> positions;  // ascending
  std::vector<std::uint32_t> digits;     // by position
};

ListedParameter column_of(const std::vector<Row>& rows, std::uint32_t parameter, std::size_t values) {
  constexpr std::uint32_t unused = ~std::uint32_t{0};
  ListedParameter column{parameter, {}, std::vector<std::uint32_t>(values, unused)};
  for (const Row& row : rows) column.digits[row[parameter]] = 0;
  for (std::size_t position = 0; position < values; ++position) {
    if (column.digits[position] == unused) continue;
    column.digits[position] = static_cast<std::uint32_t>(column.positions.size());
    column.positions.push_back(static_cast<std::uint16_t>(position));
  }
  return column;
}

// Returns the number of entries of the tree of all prefixes, one for each value of each node. In sorted order, each row
// begins new nodes after the first parameter in which it differs from the row before.
std::uint64_t entries_of_tree(const std::vector<Row>& rows, const std::vector<ListedParameter>& columns) {
  std::vector<std::uint64_t> behind(rows[0].size() + 1);  // values of all columns after a parameter
  for (const ListedParameter& column : columns) {
    for (std::size_t i = 0; i < column.parameter; ++i) behind[i] += column.positions.size();
  }
  std::vector<const Row*> order;
  for (const Row& row : rows) order.push_back(&row);
  std::sort(order.begin(), order.end(), [](const Row* a, const Row* b) { return *a < *b; });
  std::uint64_t entries = behind[0] + columns[0].positions.size();
  for (std::size_t i = 1; i < order.size(); ++i) {
    const auto differs = std::mismatch(order[i]->begin(), order[i]->end(), order[i - 1]->begin()).first;
    entries += behind[static_cast<std::size_t>(differs - order[i]->begin())];
  }
  return entries;
}

// Returns the tree; reduce() merges its equal branches.
Layers tree_of(const std::vector<Row>& rows, const std::vector<ListedParameter>& columns) {
  Layers layers(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i)
    layers[i].width = static_cast<std::uint32_t>(columns[i].positions.size());
  layers[0].children.assign(layers[0].width, no_node);
  for (const Row& row : rows) {
    std::uint32_t node = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::uint32_t digit = columns[i].digits[row[columns[i].parameter]];
      std::uint32_t& child = layers[i].children[std::size_t{node} * layers[i].width + digit];
      if (i + 1 == columns.size()) {
        child = 0;
      } else if (child == no_node) {
        Layer& next = layers[i + 1];
        child = static_cast<std::uint32_t>(next.nodes());
        next.children.resize(next.children.size() + next.width, no_node);
      }
      node = child;
    }
  }
  return layers;
}

}  // namespace

ConstructedSpace construct_listed(const std::vector<Parameter>& parameters, const std::vector<Row>& rows) {
  ConstructedSpace result;
  if (rows.empty()) return result;
  std::vector<ListedParameter> columns;
  std::vector<FixedParameter> fixed;
  for (std::uint32_t i = 0; i < parameters.size(); ++i) {
    if (is_fixed(rows, i)) {
      fixed.push_back({i, rows[0][i]});
    } else {
      columns.push_back(column_of(rows, i, parameters[i].values.size()));
    }
  }
  std::vector<UncountedPart> parts;
  if (!columns.empty()) {
    if (entries_of_tree(rows, columns) > most_entries)
      throw UsageError(
          fmt::format("{} listed configurations of {} parameters with so many values take more than 1 GiB "
                      "as a search space; leave out some, or a parameter that is different in all of them",
                      rows.size(), columns.size()));
    Layers layers = tree_of(rows, columns);
    for (const Layer& layer : layers) result.figures.widest = std::max(result.figures.widest, layer.nodes());
    reduce(layers);
    UncountedPart part{std::move(layers), {}, {}};
    for (ListedParameter& column : columns) {
      part.parameters.push_back(column.parameter);
      part.positions.push_back(std::move(column.positions));
    }
    parts.push_back(std::move(part));
  }
  result.diagram = Diagram(parts, std::move(fixed), parameters);
  result.figures.components = parts.size();
  result.figures.nodes = result.diagram.nodes();
  result.figures.bytes = result.diagram.bytes();
  result.figures.steps = rows.size();
  return result;
}

}  // namespace attune::space
