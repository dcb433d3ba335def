#include "cover/choose.hpp"

#include <algorithm>
#include <limits>

namespace attune {
namespace {

using Losses = std::vector<double>;  // of each problem

class Choosing {
 public:
  Choosing(const CoverLosses& losses, std::span<const std::size_t> problems, const ChoiceTerms& terms)
      : terms_(terms), nothing_(problems.size(), std::numeric_limits<double>::infinity()) {
    for (std::size_t column = 0; column <= losses.default_column(); ++column) {
      Losses& row = columns_.emplace_back();
      for (const std::size_t problem : problems) row.push_back(losses.loss(problem, column));
    }
    if (terms.with_default) fixed_ = {losses.default_column()};
    for (std::size_t column = 0; column < columns_.size(); ++column)
      if (fixed_ != std::vector{column} && !is_dominated(column)) candidates_.push_back(column);
  }

  ChosenColumns run() {
    choose_greedily();
    while (exchange()) continue;
    // The columns that do well alone come first, so that good choices are found early.
    std::ranges::sort(candidates_, {}, [&](std::size_t column) { return summary_of(columns_[column]).mean; });
    rest_.assign(candidates_.size() + 1, nothing_);
    for (std::size_t i = candidates_.size(); i-- > 0;) rest_[i] = with(rest_[i + 1], candidates_[i]);
    branch(fixed_, losses_of(fixed_), 0);
    std::ranges::sort(best_);
    return {best_, steps_ < terms_.most_steps};
  }

 private:
  // Another column is nowhere slower; of two equal ones the later stays, which may be the default.
  bool is_dominated(std::size_t column) const {
    for (std::size_t other = 0; other < columns_.size(); ++other) {
      if (other == column || (columns_[other] == columns_[column] && other < column)) continue;
      if (std::ranges::equal(columns_[other], columns_[column], std::less_equal())) return true;
    }
    return false;
  }

  Losses with(Losses losses, std::size_t column) const {
    for (std::size_t i = 0; i < losses.size(); ++i) losses[i] = std::min(losses[i], columns_[column][i]);
    return losses;
  }
  Losses losses_of(std::span<const std::size_t> columns) const {
    Losses losses = nothing_;
    for (const std::size_t column : columns) losses = with(std::move(losses), column);
    return losses;
  }

  bool take_if_better(const std::vector<std::size_t>& columns, const Losses& losses) {
    const LossSummary summary = summary_of(losses);
    if (!best_.empty() && !is_better(summary, best_summary_, terms_.allowed_worst)) return false;
    best_ = columns;
    best_summary_ = summary;
    return true;
  }

  void choose_greedily() {
    std::vector<std::size_t> columns = fixed_;
    if (!columns.empty()) take_if_better(columns, losses_of(columns));
    while (columns.size() < terms_.most) {
      for (const std::size_t candidate : candidates_) {
        std::vector<std::size_t> more = columns;
        more.push_back(candidate);
        take_if_better(more, losses_of(more));
      }
      if (best_.size() == columns.size()) break;
      columns = best_;
    }
  }

  // Replaces one column by another. Returns whether this made the choice better.
  bool exchange() {
    const std::vector<std::size_t> before = best_;
    for (std::size_t place = fixed_.size(); place < before.size(); ++place)
      for (const std::size_t candidate : candidates_) {
        std::vector<std::size_t> other = before;
        other[place] = candidate;
        take_if_better(other, losses_of(other));
      }
    return best_ != before;
  }

  // Tries all choices that begin with `columns` and go on with candidates from `first` on.
  void branch(const std::vector<std::size_t>& columns, const Losses& losses, std::size_t first) {
    if (!columns.empty()) take_if_better(columns, losses);
    if (columns.size() == terms_.most) return;
    for (std::size_t i = first; i < candidates_.size() && steps_ < terms_.most_steps; ++i) {
      ++steps_;
      Losses at_best = losses;  // if all candidates that are left were taken
      for (std::size_t problem = 0; problem < losses.size(); ++problem)
        at_best[problem] = std::min(at_best[problem], rest_[i][problem]);
      if (!is_better(summary_of(at_best), best_summary_, terms_.allowed_worst)) return;
      std::vector<std::size_t> more = columns;
      more.push_back(candidates_[i]);
      branch(more, with(losses, candidates_[i]), i + 1);
    }
  }

  const ChoiceTerms terms_;
  const Losses nothing_;
  std::vector<Losses> columns_;
  std::vector<std::size_t> fixed_, candidates_, best_;
  std::vector<Losses> rest_;  // the least losses of all candidates from a place on
  LossSummary best_summary_;
  std::int64_t steps_ = 0;
};

}  // namespace

ChosenColumns choose_columns(const CoverLosses& losses, std::span<const std::size_t> problems,
                             const ChoiceTerms& terms) {
  return Choosing(losses, problems, terms).run();
}

}  // namespace attune
