#include "cover/make_cover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "attune/error.hpp"

namespace attune {
namespace {

constexpr std::int64_t steps_of_fold = 100'000;
// Of random halves of seven matrices of an H200, covers chosen with this share lost least on the other halves.
constexpr double share_of_mean = 0.1;

using Places = std::vector<std::size_t>;

Places all_of(const CoverLosses& losses) {
  Places places(losses.problems());
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

struct Grown {
  CoverTree tree;
  bool is_exact = true;
};

// The tree may have the default beside the chosen configurations. Where these are too many, the default is chosen too.
class Cultivation {
 public:
  Cultivation(const CoverLosses& losses, Places problems, const CoverTerms& terms, std::int64_t most_steps)
      : losses_(losses.leaning_to_mean(share_of_mean, problems)),
        problems_(std::move(problems)),
        most_(terms.configurations) {
    ChoiceTerms choice{most_, terms.allowed_worst, false, most_steps};
    free_ = choose_columns(losses_, problems_, choice);
    choice.with_default = true;
    with_default_ = choose_columns(losses_, problems_, choice);
  }
  Grown grown(const TreeTerms& terms) const {
    CoverTree tree = grow_tree(losses_, problems_, free_.columns, terms);
    if (tree.columns().size() <= most_) return {std::move(tree), free_.is_exact};
    return {grow_tree(losses_, problems_, with_default_.columns, terms), with_default_.is_exact};
  }

 private:
  const CoverLosses losses_;
  const Places problems_;
  const std::size_t most_;
  ChosenColumns free_, with_default_;
};

// Returns the families that can differ: without two sizes there are neither products nor shapes.
std::vector<SplitFamily> families_of(const Problem& problem) {
  const auto sizes =
      std::count_if(problem.begin(), problem.end(), [](const Binding& binding) { return binding.value.is_integer(); });
  if (sizes == 0) return {SplitFamily::sizes};
  if (sizes == 1) return {SplitFamily::sizes, SplitFamily::multiples};
  return {SplitFamily::sizes, SplitFamily::multiples, SplitFamily::products, SplitFamily::shapes};
}

// Returns what is tried, the simpler first.
std::vector<TriedTree> shapes_of(const CoverTerms& terms, const Problem& problem) {
  std::vector<TriedTree> shapes;
  const int first = terms.depth.value_or(0), last = terms.depth.value_or(most_depth);
  for (int depth = first; depth <= last; ++depth)
    for (const SplitFamily family : families_of(problem))
      if (depth > 0 || family == SplitFamily::sizes) shapes.push_back({{depth, family}, {}});
  return shapes;
}

// Judges each problem by the covers of all others.
void cross_validate(const CoverLosses& losses, const CoverTerms& terms, std::vector<TriedTree>& shapes) {
  for (const std::size_t left_out : all_of(losses)) {
    Places others = all_of(losses);
    std::erase(others, left_out);
    const Cultivation cultivation(losses, std::move(others), terms, steps_of_fold);
    for (TriedTree& shape : shapes) {
      const CoverTree tree = cultivation.grown(shape.terms).tree;
      shape.losses.push_back(losses.loss(left_out, tree.column_of(losses.matrix().problems[left_out])));
    }
  }
}

// Returns the first of the least mean loss.
const TriedTree& best_of(const std::vector<TriedTree>& shapes) {
  return *std::ranges::min_element(shapes, {}, [](const TriedTree& shape) { return summary_of(shape.losses).mean; });
}

// Returns which types and choices were measured, as a rule; "" if there are none.
std::string names_rule(const std::vector<Problem>& problems) {
  std::string rule;
  for (const Binding& binding : problems.front()) {
    if (binding.value.is_integer()) continue;
    std::vector<std::string> values;
    for (const Problem& problem : problems) {
      const Value& value = problem.at(binding.name);
      std::string text = value.is_name() ? quoted_name(value.name()) : value.text();
      if (std::ranges::find(values, text) == values.end()) values.push_back(std::move(text));
    }
    if (!rule.empty()) rule += " && ";
    rule += values.size() == 1 ? fmt::format("{} == {}", binding.name, values.front())
                               : fmt::format("{} in [{}]", binding.name, fmt::join(values, ", "));
  }
  return rule;
}

std::string sizes_rule(const std::vector<Problem>& problems) {
  std::string rule;
  for (const Binding& binding : problems.front()) {
    if (!binding.value.is_integer()) continue;
    const auto value = [&](const Problem& problem) { return problem.at(binding.name).integer(); };
    const auto [low, high] = std::ranges::minmax(problems, {}, value);
    rule +=
        fmt::format("{0}{1} >= {2} && {1} <= {3}", rule.empty() ? "" : " && ", binding.name, value(low), value(high));
  }
  return rule.empty() ? "true" : rule;
}

}  // namespace

MadeCover make_cover(const CoverMatrix& matrix, const CoverTerms& terms) {
  if (matrix.problems.size() < least_problems)
    throw UsageError(fmt::format("a cover is made of {} problems or more, and {} have been measured", least_problems,
                                 matrix.problems.size()));
  const CoverLosses losses(matrix);
  MadeCover made;
  made.tried = shapes_of(terms, matrix.problems.front());
  cross_validate(losses, terms, made.tried);
  const TriedTree& taken = best_of(made.tried);
  made.terms = taken.terms;
  Grown grown = Cultivation(losses, all_of(losses), terms, ChoiceTerms().most_steps).grown(taken.terms);
  made.is_exact = grown.is_exact;
  made.tree = std::move(grown.tree);
  made.columns = made.tree.columns();
  // The default has no place of its own.
  std::ranges::stable_partition(made.columns, [&](std::size_t column) { return column != losses.default_column(); });
  Cover& cover = made.cover;
  for (const std::size_t column : made.columns)
    if (column != losses.default_column()) cover.configurations.push_back(matrix.configurations[column]);
  const std::string tree = made.tree.expression([&](std::size_t column) {
    if (column == losses.default_column()) return std::to_string(cover_default);
    return std::to_string(std::ranges::find(made.columns, column) - made.columns.begin());
  });
  const std::string names = names_rule(matrix.problems);
  cover.tree = names.empty() ? tree : fmt::format("{} ? ({}) : {}", names, tree, cover_silent);
  cover.measured = sizes_rule(matrix.problems);
  cover.problems = static_cast<std::int64_t>(matrix.problems.size());
  const LossSummary expected = summary_of(taken.losses);
  cover.mean_loss = expected.mean;
  cover.worst_loss = expected.worst;
  return made;
}

}  // namespace attune
