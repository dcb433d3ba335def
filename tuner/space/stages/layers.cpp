#include "space/stages/layers.hpp"

#include <algorithm>

#include "space/stages/row_set.hpp"

namespace attune::space {
namespace {

// Numbers the nodes of each layer in the order in which the layer before meets them.
void drop_unreachable(Layers& layers) {
  for (std::size_t level = 0; level + 1 < layers.size(); ++level) {
    std::vector<std::uint32_t> numbers(layers[level + 1].nodes(), no_node);
    std::uint32_t count = 0;
    for (std::uint32_t& child : layers[level].children) {
      if (child == no_node) continue;
      if (numbers[child] == no_node) numbers[child] = count++;
      child = numbers[child];
    }
    Layer& next = layers[level + 1];
    std::vector<std::uint32_t> children(std::size_t{count} * next.width);
    for (std::size_t node = 0; node < numbers.size(); ++node) {
      if (numbers[node] == no_node) continue;
      std::copy_n(next.children.begin() + static_cast<std::ptrdiff_t>(node * next.width), next.width,
                  children.begin() + static_cast<std::ptrdiff_t>(std::size_t{numbers[node]} * next.width));
    }
    next.children = std::move(children);
  }
}

}  // namespace

void reduce(Layers& layers) {
  std::vector<std::uint32_t> renamed = {0};  // by node of the next layer
  for (std::size_t level = layers.size(); level-- > 0;) {
    Layer& layer = layers[level];
    RowSet rows(layer.width);
    std::vector<std::uint32_t> numbers(layer.nodes());
    for (std::size_t node = 0; node < numbers.size(); ++node) {
      std::uint32_t* const row = layer.children.data() + node * layer.width;
      bool alive = false;
      for (std::uint32_t value = 0; value < layer.width; ++value) {
        if (row[value] == no_node) continue;
        row[value] = renamed[row[value]];
        alive = alive || row[value] != no_node;
      }
      numbers[node] = alive ? rows.number_of(row) : no_node;
    }
    layer.children = rows.take();
    renamed = std::move(numbers);
  }
  if (renamed[0] == no_node) return layers.clear();
  drop_unreachable(layers);
}

}  // namespace attune::space
