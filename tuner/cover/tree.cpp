#include "cover/tree.hpp"

#include <algorithm>

namespace attune {
namespace {

using Places = std::vector<std::size_t>;  // of problems

// How many questions ahead a question is judged.
constexpr int look_ahead = 2;
// Another leaf must save so much of the summed loss: less is noise.
constexpr double least_gain = 0.01;

struct Leaf {
  std::size_t column = 0;
  double loss = 0;  // summed
};

bool is_bound_of_same(const CoverSplit& a, const CoverSplit& b) {
  return a.kind == CoverSplit::Kind::at_most && b.kind == a.kind && a.a == b.a && a.b == b.b && a.c == b.c;
}

class Growing {
 public:
  Growing(const CoverLosses& losses, std::span<const std::size_t> columns, const TreeTerms& terms)
      : losses_(losses), columns_(columns.begin(), columns.end()), terms_(terms) {}

  CoverTree run(std::span<const std::size_t> problems) {
    CoverTree tree;
    grow(Places(problems.begin(), problems.end()), terms_.depth, tree);
    return tree;
  }

 private:
  struct Parted {
    std::optional<CoverSplit> split;
    double loss = 0;
  };

  Leaf leaf_of(const Places& problems) const {
    Leaf best{losses_.default_column(), summed(problems, losses_.default_column())};
    for (const std::size_t column : columns_) {
      const auto is_slower = [&](std::size_t problem) { return losses_.is_slower(problem, column); };
      const auto is_faster = [&](std::size_t problem) { return losses_.is_faster(problem, column); };
      if (std::ranges::any_of(problems, is_slower) || std::ranges::none_of(problems, is_faster)) continue;
      if (const double loss = summed(problems, column); loss < best.loss) best = {column, loss};
    }
    return best;
  }

  double summed(const Places& problems, std::size_t column) const {
    double sum = 0;
    for (const std::size_t problem : problems) sum += losses_.loss(problem, column);
    return sum;
  }

  std::vector<CoverSplit> splits(const Places& places) const {
    std::vector<const Problem*> problems;
    for (const std::size_t place : places) problems.push_back(&losses_.matrix().problems[place]);
    return splits_of(problems, terms_.family);
  }

  std::pair<Places, Places> part(const Places& problems, const CoverSplit& split) const {
    std::pair<Places, Places> parts;
    for (const std::size_t place : problems)
      (split.holds(losses_.matrix().problems[place]) ? parts.first : parts.second).push_back(place);
    return parts;
  }

  // Returns the best question, and the summed loss of the best tree of `depth` questions that begins with it. Of
  // neighbouring bounds that are as good, it takes the one in the middle: problems between them have no preference.
  Parted best_of(const Places& problems, int depth) const {
    Parted best{{}, leaf_of(problems).loss};
    if (depth == 0 || best.loss <= least_gain) return best;
    const std::vector<CoverSplit> all = splits(problems);
    std::size_t first = 0, last = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto [yes, no] = part(problems, all[i]);
      const double loss = best_of(yes, depth - 1).loss + best_of(no, depth - 1).loss;
      if (loss < best.loss - least_gain) {
        best = {all[i], loss};
        first = last = i;
      } else if (best.split && last + 1 == i && is_bound_of_same(all[first], all[i]) &&
                 loss <= best.loss + least_gain) {
        last = i;
      }
    }
    if (best.split) best.split = all[(first + last) / 2];
    return best;
  }

  std::size_t grow(const Places& problems, int depth, CoverTree& tree) const {
    const std::size_t place = tree.nodes.size();
    tree.nodes.push_back({.column = leaf_of(problems).column});
    const Parted best = best_of(problems, std::min(depth, look_ahead));
    if (!best.split) return place;
    const auto [of_yes, of_no] = part(problems, *best.split);
    const std::size_t yes = grow(of_yes, depth - 1, tree), no = grow(of_no, depth - 1, tree);
    // Two equal leaves are one.
    if (!tree.nodes[yes].split && !tree.nodes[no].split && tree.nodes[yes].column == tree.nodes[no].column) {
      tree.nodes[place].column = tree.nodes[yes].column;
      tree.nodes.resize(place + 1);
      return place;
    }
    tree.nodes[place].split = best.split;
    tree.nodes[place].yes = yes;
    tree.nodes[place].no = no;
    return place;
  }

  const CoverLosses& losses_;
  const std::vector<std::size_t> columns_;
  const TreeTerms terms_;
};

std::string expression_of(const CoverTree& tree, std::size_t place,
                          const std::function<std::string(std::size_t column)>& name) {
  const CoverTree::Node& node = tree.nodes[place];
  if (!node.split) return name(node.column);
  // The operator groups to the right, so that only the middle needs brackets.
  const std::string yes = expression_of(tree, node.yes, name);
  return node.split->text() + " ? " + (tree.nodes[node.yes].split ? "(" + yes + ")" : yes) + " : " +
         expression_of(tree, node.no, name);
}

}  // namespace

std::size_t CoverTree::column_of(const Problem& problem) const {
  std::size_t place = 0;
  while (nodes[place].split) place = nodes[place].split->holds(problem) ? nodes[place].yes : nodes[place].no;
  return nodes[place].column;
}

std::size_t CoverTree::leaves() const {
  return static_cast<std::size_t>(std::ranges::count_if(nodes, [](const Node& node) { return !node.split; }));
}

std::vector<std::size_t> CoverTree::columns() const {
  std::vector<std::size_t> columns;
  for (const Node& node : nodes)
    if (!node.split && std::ranges::find(columns, node.column) == columns.end()) columns.push_back(node.column);
  return columns;
}

std::string CoverTree::expression(const std::function<std::string(std::size_t column)>& name) const {
  return expression_of(*this, 0, name);
}

CoverTree grow_tree(const CoverLosses& losses, std::span<const std::size_t> problems,
                    std::span<const std::size_t> columns, const TreeTerms& terms) {
  return Growing(losses, columns, terms).run(problems);
}

}  // namespace attune
