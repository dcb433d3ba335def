// Makes a cover of what was measured: chooses the configurations, grows the tree, and says what to expect of it. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/cover.hpp"
#include "cover/choose.hpp"
#include "cover/tree.hpp"

namespace attune {

struct CoverTerms {
  std::size_t configurations = 4;  // at most, the default among them where it serves
  std::optional<int> depth = {};   // nothing: by cross-validation, at most `most_depth`
  double allowed_worst = 0.05;     // see ChoiceTerms
};

// The most questions on a way to a leaf.
inline constexpr int most_depth = 4;
// The fewest problems of which a cover is made.
inline constexpr std::size_t least_problems = 3;

// One shape of tree, with the losses of its cross-validation: each problem is judged by the cover of all others.
struct TriedTree {
  TreeTerms terms;
  std::vector<double> losses;  // of each problem
};

struct MadeCover {
  CoverTree tree;
  std::vector<std::size_t> columns;  // of the leaves: those of `cover.configurations`, then perhaps the default
  bool is_exact = true;              // no other choice of configurations is better
  TreeTerms terms;                   // of the tree
  std::vector<TriedTree> tried;      // the simpler first
  // With the members that follow from the matrix: configurations, tree, measured, problems and losses.
  Cover cover;
};

// Makes a cover. Its tree has the shape of the least mean loss in cross-validation, the simplest of equal ones. Throws
// UsageError for less than `least_problems` problems.
MadeCover make_cover(const CoverMatrix& matrix, const CoverTerms& terms);

}  // namespace attune
