#include "session/failed_trial.hpp"

#include <algorithm>

#include "base/unix_ms.hpp"

namespace attune {

void describe(Trial& trial, const Instance& instance, const Image* image, bool self_checked) {
  trial.configuration = instance.configuration;
  trial.shapes = instance.shapes;
  if (image != nullptr) trial.usage = image->largest_usage();
  trial.self_checked = self_checked;
}

void add_result(Trial& trial, const Result& result) {
  trial.attempts = std::max(trial.attempts, result.attempt);
  trial.deaths = std::max(trial.deaths, result.deaths);
  trial.worker = result.worker;
  trial.made_ms = result.made_ms != 0 ? result.made_ms : unix_ms();
  if (const auto* tried = std::get_if<TryAnswer>(&result.answer)) trial.numerics.include(tried->numerics);
  if (const auto* checked = std::get_if<CheckAnswer>(&result.answer)) trial.numerics.include(checked->numerics);
}

Trial failed_trial(Trial trial, const Status& status, const Result& result) {
  add_result(trial, result);
  trial.verdict = status.verdict;
  trial.detail = status.detail;
  trial.measurement = {};
  trial.anchor_ns = 0;
  trial.batch = 1;
  return trial;
}

}  // namespace attune
