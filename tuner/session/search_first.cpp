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
    const Configuration& anchor = on_.terms.anchors[next_anchor_++];
    const Trial* const tried = on_.log.find(anchor.text());
    if (tried != nullptr && tried->verdict != Verdict::ok) continue;
    // The default may lie outside a narrowed space.
    if (const std::optional<Row> row = on_.terms.space.row_of(anchor); row && tried == nullptr) proposals_.begin(*row);
    propose(anchor);
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
    const std::optional<Row> row = on_.terms.space.row_of(attempt.configuration);
    if (!row || !on_.terms.space.contains(*row) || on_.terms.may_be_anchor(attempt.configuration)) continue;
    proposals_.begin(*row);
    left.push_back(attempt.configuration);
  }
  try_alone();
  while (on_.bench.anchor_ns() == 0 && !stop_reason() && ask_for_anchor()) try_alone();
  tell_of_anchor();
  note_long_compiles();
  for (const Configuration& one : left) {
    if (stop_reason()) return;
    propose(one);
    try_alone();
  }
  for (const Configuration& one : on_.log.second_chances()) {
    const std::optional<Row> row = on_.terms.space.row_of(one);
    if (!row || !on_.terms.space.contains(*row) || on_.log.find(one.text()) != nullptr) continue;
    if (on_.stop.load() > 0 || on_.progress.limit_reached(seconds(), on_.bench.anchor_ns())) return;
    proposals_.begin(*row);
    propose(one);
    try_alone();
  }
  tried_first_ = true;
}

// Tells the observer if the default has no time, because speed-ups are over the default.
void Search::tell_of_anchor() const {
  const std::optional<Configuration>& by_default = on_.terms.default_configuration;
  if (!by_default)
    return on_.observer.note(fmt::format(
        "what was left is deterministic and the kernel's default is not: {} takes its place, and no speed-up is told",
        on_.terms.anchors.front().text()));
  const Trial* const tried = on_.log.find(by_default->text());
  if (tried == nullptr || tried->verdict == Verdict::ok) return;
  on_.observer.note(fmt::format("the default configuration {} fails ({}: {}): there is no speed-up over it",
                                by_default->text(), to_text(tried->verdict), first_line(tried->detail)));
}

// Says how many configurations a search with long compiles can try, once it is known how long the first compile took.
void Search::note_long_compiles() const {
  const Trial* const tried = on_.log.find(on_.terms.anchors.front().text());
  if (tried == nullptr) return;
  const Budget& limits = on_.terms.request.limits;
  double most = static_cast<double>(on_.terms.space.size());
  if (limits.trials) most = std::min(most, static_cast<double>(*limits.trials));
  const double left = on_.progress.run_seconds() - seconds();
  const bool is_limited = limits.seconds || on_.terms.budget.seconds;
  if (is_limited && left <= 0) return;
  const std::string text =
      expectation_text({tried->compile_ms * 1e-3, threads_, is_limited ? std::optional(left) : std::nullopt, most});
  if (!text.empty()) on_.observer.note(text);
}

// Tries what was asked for last, and waits for its end.
void Search::try_alone() {
  if (under_way_.empty()) return;  // it has its verdict already
  if (std::optional<CompiledInstance> compiled = take_image()) start(std::move(*compiled), true);
  while (!sent_.empty()) finish_front();
}

// A configuration that does not end in its time gets no verdict, and its attempt is taken back, so that nothing is
// blamed on it.
Trial Search::try_as_anchor(const Sent& sent, int attempt) try {
  return on_.bench.try_as_anchor(*sent.instance, sent.outcome, attempt);
} catch (const BenchUnfinished&) {
  if (sent.has_attempt) on_.log.withdraw_attempts({sent.instance->configuration}, sent.is_alone);
  throw;
}

}  // namespace attune
