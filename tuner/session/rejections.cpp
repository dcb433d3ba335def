#include "session/rejections.hpp"

#include <algorithm>

namespace attune {
namespace {

// Survivors are few if they are less than half of the trials, and also fewer than `few` or less than 1 / few_of of
// them.
constexpr std::int64_t few = 8, few_of = 5;

}  // namespace

void Rejections::see(const Trial& trial) {
  ++trials_;
  if (trial.verdict == Verdict::ok) {
    ++survivors_;
    return;
  }
  Rejection& rejection = by_verdict_[trial.verdict];
  if (rejection.count++ > 0) return;
  rejection.verdict = trial.verdict;
  rejection.example = trial.configuration;
  rejection.detail = trial.detail;
}

std::vector<Rejection> Rejections::list() const {
  std::vector<Rejection> sorted;
  for (const auto& [verdict, rejection] : by_verdict_) sorted.push_back(rejection);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  return sorted;
}

bool few_survive(std::int64_t survivors, std::int64_t trials) noexcept {
  return survivors > 0 && 2 * survivors < trials && (survivors < few || few_of * survivors < trials);
}

}  // namespace attune
