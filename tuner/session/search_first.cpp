// What a search tries, each alone, before its strategy is asked: the anchor, configurations that were under way when a
// session was killed, and configurations that have a second chance.
#include <fmt/format.h>

#include <algorithm>

#include "base/first_line.hpp"
#include "session/expectation.hpp"
#include "session/search.hpp"

namespace attune {

// Asks for the next configuration that may be the anchor. Passes over those that failed before. Returns false when none
// is left.
bool Search::ask_for_anchor() {
  while (next_anchor_ < on_.terms.anchors.size()) {
    const Candidate& anchor = on_.log.candidates().at(on_.terms.anchors[next_anchor_++]);
    if (anchor.trial && anchor.trial->verdict != Verdict::ok) continue;
    if (anchor.row && !anchor.trial) proposals_.begin(*anchor.row);  // the default may lie outside a narrowed space
    line_.propose(anchor.configuration);
    return true;
  }
  return false;
}

// Second chances are tried even if the effort's budget is spent. If it is spent and there are none, the survivors are
// compared without an anchor.
void Search::try_first() {
  if (stop_reason() && on_.progress.survivors() > 0 && on_.log.second_chances().empty()) return;
  std::vector<Configuration> left;
  for (const Attempt& attempt : on_.log.open_attempts()) {
    const Candidate& candidate = on_.log.candidates().at(attempt.configuration);
    if (!candidate.row || on_.terms.may_be_anchor(attempt.configuration)) continue;
    proposals_.begin(*candidate.row);
    left.push_back(attempt.configuration);
  }
  try_alone();
  while (on_.bench().anchor().median_ns == 0 && !stop_reason() && ask_for_anchor()) try_alone();
  anchor_other_benches();
  if (const std::string text = no_default_text(); !text.empty()) on_.observer.note(text);
  if (const std::string text = long_compiles_text(); !text.empty()) on_.observer.note(text);
  for (const Configuration& one : left) {
    if (stop_reason()) return;
    try_alone(one);
  }
  for (const Configuration& one : on_.log.second_chances()) {
    const Candidate& candidate = on_.log.candidates().at(one);
    if (!candidate.row || candidate.trial) continue;
    if (on_.stop.load() > 0 || on_.progress.limit_reached(seconds(), on_.bench().anchor().median_ns)) return;
    proposals_.begin(*candidate.row);
    try_alone(one);
  }
  tried_first_ = true;
}

// Returns why no speed-ups over the default are told, or "".
std::string Search::no_default_text() const {
  const std::optional<Configuration>& by_default = on_.terms.default_configuration;
  if (!by_default)
    return fmt::format(
        "what was left is deterministic and the kernel's default is not: {} takes its place, and no speed-up is told",
        on_.terms.anchors.front().text());
  const Trial* const tried = on_.log.find(*by_default);
  if (tried == nullptr || tried->verdict == Verdict::ok) return "";
  return fmt::format("the default configuration {} fails ({}: {}): there is no speed-up over it", by_default->text(),
                     to_text(tried->verdict), first_line(tried->detail));
}

// Returns how many configurations a search with long compiles can try, once it is known how long the first compile
// took; else "".
std::string Search::long_compiles_text() const {
  if (on_.terms.request.part) return "";  // the parts share images
  const Trial* const tried = on_.log.find(on_.terms.anchors.front());
  if (tried == nullptr) return "";
  const Budget& limits = on_.terms.request.limits;
  double most = static_cast<double>(on_.terms.space.size());
  if (limits.trials) most = std::min(most, static_cast<double>(*limits.trials));
  const double left = on_.progress.run_seconds() - seconds();
  const bool is_limited = limits.seconds || on_.terms.budget.seconds;
  if (is_limited && left <= 0) return "";
  return expectation_text({tried->compile_ms * 1e-3, threads_, is_limited ? std::optional(left) : std::nullopt, most});
}

void Search::try_alone(const Configuration& configuration) {
  line_.propose(configuration);
  try_alone();
}

// Tries what was proposed last, and waits for its end.
void Search::try_alone() {
  if (under_way() == 0) return;  // it has its verdict already
  if (std::optional<CompiledInstance> compiled = line_.take_image(in_waves_, [this] { return is_over(); }))
    line_.start(*std::move(compiled), true);
  while (!line_.is_empty()) line_.finish_oldest();
}

// Gives the anchor to the other benches. One on which it fails has no part in the session.
void Search::anchor_other_benches() {
  const Trial* const anchor = on_.log.find_anchor();
  if (anchor == nullptr || on_.bench().anchor().median_ns == 0) return;
  const std::optional<ReadyInstance>& ready = on_.log.candidates().at(anchor->configuration).ready;
  if (on_.benches.size() > 1) on_.take_turns();
  on_.on_each(std::next(on_.benches.begin()), [&](TrialBench& bench) {
    if (!ready) throw BenchFailure("the session's anchor was not launched in this run");
    CompileOutcome compiled;
    compiled.image = ready->image;
    bench.limit_anchor(on_.progress.run_seconds());
    const Trial trial = bench.try_as_anchor(*ready->instance, compiled, 1);
    if (trial.verdict != Verdict::ok)
      throw BenchFailure(
          fmt::format("the anchor fails there ({}: {})", to_text(trial.verdict), first_line(trial.detail)));
  });
}

}  // namespace attune
