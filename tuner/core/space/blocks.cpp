#include <algorithm>

#include "core/space/built.hpp"

namespace attune::space {
namespace {

// A table is read at random: beyond a second-level cache's share it is slower than walking the diagram. Both limits
// also bound what the tables of a space cost to write, about 0.1 ms.
constexpr std::size_t max_block_entries = 16 * 1024;
constexpr std::size_t max_table_entries = 32 * 1024;  // of all tables of a space

SpaceSize saturating_product(SpaceSize a, SpaceSize b) {
  constexpr SpaceSize most = ~SpaceSize{0};
  return b != 0 && a > most / b ? most : a * b;
}

std::size_t parameters_of(const std::vector<Component>& components, std::size_t first, std::size_t count) {
  std::size_t total = 0;
  for (std::size_t i = first; i < first + count; ++i) total += components[i].levels().size();
  return total;
}

// Writes every row of one component, in order, its parameters in the order of its levels. Rows are `apart` entries
// apart, and each is written `times` times in a row. Gives the end of what was written.
class TableWriter {
 public:
  TableWriter(const Component& component, std::size_t apart, std::size_t times)
      : component_(component), apart_(apart), times_(times), row_(component.levels().size()) {}

  std::uint16_t* write(std::size_t level, NodeOffset node, std::uint16_t* to) {
    const ComponentLevel& here = component_.levels()[level];
    const bool is_last = level + 1 == component_.levels().size();
    for (std::size_t digit = 0; digit < here.width; ++digit) {
      const NodeOffset child = component_.child(node, digit);
      if (child == no_node) continue;
      row_[level] = here.positions[digit];
      if (!is_last) {
        to = write(level + 1, child, to);
        continue;
      }
      for (std::size_t i = 0; i < times_; ++i, to += apart_) {
        for (std::size_t k = 0; k < row_.size(); ++k) to[k] = row_[k];
      }
    }
    return to;
  }

 private:
  const Component& component_;
  std::size_t apart_, times_;
  std::vector<std::uint16_t> row_;
};

// The first component's rows change slowest: each stays for all combinations of those behind it.
void write_table(Block& block, const std::vector<Component>& components) {
  const auto rows = static_cast<std::size_t>(block.size);
  const std::size_t columns = block.parameters.size();
  block.table.resize(rows * columns);
  std::size_t behind = rows, column = 0;
  for (std::size_t i = block.first; i < block.first + block.count; ++i) {
    behind /= static_cast<std::size_t>(components[i].size());
    TableWriter writer(components[i], columns, behind);
    std::uint16_t* const end = block.table.data() + column + rows * columns;
    for (std::uint16_t* to = block.table.data() + column; to != end;) to = writer.write(0, 0, to);
    column += components[i].levels().size();
  }
}

}  // namespace

std::vector<Block> blocks_of(const std::vector<Component>& components) {
  std::vector<Block> blocks;
  std::size_t entries = 0;
  const auto entries_of = [&](const Block& block) {
    return saturating_product(block.size, parameters_of(components, block.first, block.count));
  };
  for (std::size_t i = 0; i < components.size(); ++i) {
    Block alone{i, 1, components[i].size(), {}, {}};
    if (!blocks.empty()) {
      Block joined = blocks.back();
      ++joined.count;
      joined.size = saturating_product(joined.size, alone.size);
      if (entries_of(joined) <= max_block_entries) {
        blocks.back() = joined;
        continue;
      }
    }
    blocks.push_back(alone);
  }
  for (Block& block : blocks) {
    for (std::size_t i = block.first; i < block.first + block.count; ++i) {
      for (const auto& level : components[i].levels()) block.parameters.push_back(level.parameter);
    }
    const SpaceSize own = entries_of(block);
    if (own > max_block_entries || entries + own > max_table_entries) continue;
    entries += static_cast<std::size_t>(own);
    write_table(block, components);
  }
  return blocks;
}

}  // namespace attune::space
