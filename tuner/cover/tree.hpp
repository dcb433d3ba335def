// CoverTree: which configuration serves which problem. Pure; a plain value.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cover/matrix.hpp"
#include "cover/split.hpp"

namespace attune {

struct CoverTree {
  struct Node {
    std::optional<CoverSplit> split = {};  // none: a leaf
    std::size_t yes = 0, no = 0;           // positions in `nodes`
    std::size_t column = 0;                // of a leaf
  };
  std::vector<Node> nodes;  // the root is the first

  std::size_t column_of(const Problem& problem) const;
  std::size_t leaves() const;
  // Returns the columns of the leaves, each once, in the order of the leaves.
  std::vector<std::size_t> columns() const;
  // Returns the tree as an expression: "n <= 65536 ? 0 : 1". `name` gives the text of a column.
  std::string expression(const std::function<std::string(std::size_t column)>& name) const;
};

struct TreeTerms {
  int depth = 2;  // questions on the way to a leaf, at most
  SplitFamily family = SplitFamily::sizes;
};

// Grows the tree of least summed loss over `problems`, with leaves out of `columns` and the default. A leaf never has a
// column that was slower than the default on one of its problems, and has the default unless its column was faster on
// one. Trees of two questions on a way are the best of all; a deeper one is grown from the root, where each question is
// judged by the best tree of two questions that begins with it. Of equal trees the smaller one is taken.
CoverTree grow_tree(const CoverLosses& losses, std::span<const std::size_t> problems,
                    std::span<const std::size_t> columns, const TreeTerms& terms);

}  // namespace attune
