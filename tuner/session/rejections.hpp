// Rejections: why configurations did not survive: each verdict with its count and an example. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/trial.hpp"

namespace attune {

struct Rejection {
  Verdict verdict = Verdict::ok;
  std::int64_t count = 0;
  Configuration example;
  std::string detail;  // of the example
};

// Returns whether survivors are few beside the failed trials: the best survivor may then be far from the optimum.
bool few_survive(std::int64_t survivors, std::int64_t trials) noexcept;

class Rejections {
 public:
  // Counts a trial. The first one of a verdict is its example.
  void see(const Trial& trial);
  // Returns the verdicts other than ok, the most frequent first.
  std::vector<Rejection> list() const;
  std::int64_t trials() const noexcept { return trials_; }
  std::int64_t survivors() const noexcept { return survivors_; }
  bool few_survive() const noexcept { return attune::few_survive(survivors_, trials_); }

 private:
  std::int64_t trials_ = 0, survivors_ = 0;
  std::map<Verdict, Rejection> by_verdict_;
};

}  // namespace attune
