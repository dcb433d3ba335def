// [[ladder]]: names, problems, configurations and sweeps.
#include <fmt/format.h>

#include <functional>
#include <set>

#include "attune/error.hpp"
#include "kernel/problem.hpp"
#include "kernel/sweep.hpp"
#include "spec/shortened.hpp"
#include "spec/validate.hpp"

namespace attune {
namespace {

// Runs `read`, the reader of an option, and turns its error into a fault at `place`.
void at(const std::string& place, const std::function<void()>& read) {
  try {
    read();
  } catch (const UsageError& error) {
    throw Fault(place, error.what());
  }
}

void require_swept(const KernelSpec& spec, const Ladder& ladder) {
  const Sweep sweep = parse_sweep(ladder.sweep);
  const ProblemParameter* const entry = spec.find_problem(sweep.name);
  if (entry == nullptr || (entry->kind != ProblemKind::size && entry->kind != ProblemKind::integer))
    throw UsageError(
        fmt::format("`{}` in `{}` is no size or integer of [problem]", shortened(sweep.name), ladder.sweep));
  if (entry->kind == ProblemKind::size && sweep.first < 1)
    throw UsageError(fmt::format("{} in `{}` is no size: sizes are 1 to 2^62", sweep.first, ladder.sweep));
}

void validate_ladder(const KernelSpec& spec, const Ladder& ladder, const std::string& place) {
  for (std::size_t i = 0; i < ladder.problems.size(); ++i)
    at(fmt::format("{}.problems[{}]", place, i), [&] { parse_problem(spec, ladder.problems[i], "cuda"); });
  if (!ladder.sweep.empty()) at(place + ".sweep", [&] { require_swept(spec, ladder); });
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < ladder.steps.size(); ++i) {
    const LadderStep& step = ladder.steps[i];
    const std::string here = fmt::format("{}.steps[{}]", place, i);
    if (step.name.empty()) throw Fault(here + ".name", "a step needs a name");
    if (!seen.insert(step.name).second) throw Fault(here + ".name", fmt::format("`{}` is named twice", step.name));
    at(here + ".configuration", [&] { parse_configuration(spec, step.configuration); });
  }
  if (ladder.steps.empty() && ladder.sweep.empty()) throw Fault(place, "[[ladder]] needs `steps`, or a `sweep`");
}

}  // namespace

void validate_ladders(const KernelSpec& spec) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < spec.ladders.size(); ++i) {
    const std::string place = fmt::format("ladder[{}]", i);
    const std::string& name = spec.ladders[i].name;
    if (name.empty()) throw Fault(place + ".name", "a ladder needs a name");
    if (!seen.insert(name).second) throw Fault(place + ".name", fmt::format("`{}` is named twice", shortened(name)));
    validate_ladder(spec, spec.ladders[i], place);
  }
}

}  // namespace attune
