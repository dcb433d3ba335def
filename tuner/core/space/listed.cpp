#include "core/space/listed.hpp"

#include <algorithm>

namespace attune::space {
namespace {

// Does a parameter have one value in all rows?
bool is_fixed(const std::vector<Row>& rows, std::size_t parameter) {
  return std::all_of(rows.begin(), rows.end(), [&](const Row& row) { return row[parameter] == rows[0][parameter]; });
}

// The tree of all prefixes; reduce() makes equal branches one.
Layers tree_of(const std::vector<Row>& rows, const std::vector<std::uint32_t>& open,
               const std::vector<Parameter>& parameters) {
  Layers layers(open.size());
  for (std::size_t i = 0; i < open.size(); ++i)
    layers[i].width = static_cast<std::uint32_t>(parameters[open[i]].values.size());
  layers[0].children.assign(layers[0].width, no_node);
  for (const Row& row : rows) {
    std::uint32_t node = 0;
    for (std::size_t i = 0; i < open.size(); ++i) {
      std::uint32_t& child = layers[i].children[std::size_t{node} * layers[i].width + row[open[i]]];
      if (i + 1 == open.size()) {
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

Constructed construct_listed(const std::vector<Parameter>& parameters, const std::vector<Row>& rows) {
  Constructed result;
  if (rows.empty()) return result;
  std::vector<std::uint32_t> open;
  std::vector<Fixed> fixed;
  for (std::uint32_t i = 0; i < parameters.size(); ++i) {
    if (is_fixed(rows, i)) {
      fixed.push_back({i, rows[0][i]});
    } else {
      open.push_back(i);
    }
  }
  std::vector<UncountedPart> parts;
  if (!open.empty()) {
    Layers layers = tree_of(rows, open, parameters);
    for (const Layer& layer : layers) result.figures.widest = std::max(result.figures.widest, layer.nodes());
    reduce(layers);
    UncountedPart part{std::move(layers), open, {}};
    for (const std::uint32_t i : open) {
      auto& positions = part.positions.emplace_back(parameters[i].values.size());
      for (std::size_t k = 0; k < positions.size(); ++k) positions[k] = static_cast<std::uint16_t>(k);
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
