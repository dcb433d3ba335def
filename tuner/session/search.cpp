#include "session/search.hpp"

#include <algorithm>
#include <utility>

#include "attune/error.hpp"
#include "base/usable_processors.hpp"

namespace attune {
namespace {

// The most proposals under way per image that is compiled ahead.
constexpr std::size_t most_sharing = 8;

}  // namespace

Search::Search(SessionParts& parts, Proposals& proposals, std::function<void(double)> saved)
    : on_(parts),
      proposals_(proposals),
      saved_(std::move(saved)),
      line_(parts, [this](const Trial& trial) { finish_trial(trial, false); }) {
  const auto cores = static_cast<unsigned>(usable_processors());
  const unsigned wanted = on_.terms.request.compile_threads;
  threads_ = wanted != 0 ? wanted : cores;
  // While the device measures one proposal, two per thread are being compiled or wait.
  ahead_ = most_ahead_ = 2 * std::size_t{threads_} + 1;
  if (on_.terms.subject.toolchain().empty()) {
    const CompilerFacts& compiler = on_.pool.compiler();
    on_.pool.set_compilers(threads_);
    on_.pool.start_compilers();
    // A compiler that disturbs timing works in waves; the first waves are small, so that even a short search tries
    // some.
    in_waves_ = compiler.disturbs_timing;
    if (in_waves_) most_ahead_ = threads_ * compiler.preferred_batch;
    ahead_ = std::min(most_ahead_, ahead_);
  }
  untold_ = on_.log.earlier();
  tell_strategy();
}

// Waiting for another tuner's turn does not count.
double Search::seconds() const { return began_ ? on_.bench().seconds() - *began_ - on_.waited_seconds() : 0; }

std::optional<Ending> Search::stop_reason() const {
  if (on_.stop.load() > 0) return Ending::interrupted;
  return on_.progress.stop_reason(seconds(), on_.bench().anchor().median_ns);
}

Ending Search::run() {
  try {
    loop();
    on_.end_turns();
    on_.log.commit();
  } catch (...) {  // from a strategy that fails or a compiler that is broken; what was tried by then is kept
    line_.settle_after_failure();
    throw;
  }
  std::optional<Ending> reason = stop_reason();
  if (!reason) return Ending::everything_tried;
  // A limit may be reached together with the last configuration.
  const bool limited = reason == Ending::time || reason == Ending::trials;
  if (limited && on_.source.outstanding() == 0 && proposals_.is_exhausted()) return Ending::everything_tried;
  return *reason;
}

void Search::loop() {
  began_ = on_.bench().seconds() - on_.waited_seconds();
  // The anchor is needed if there are survivors, because they are to end in a record.
  on_.bench().limit_anchor(on_.progress.run_seconds(), on_.progress.survivors() > 0);
  try_first();
  for (;;) {
    const bool has_ended = stop_reason().has_value();
    // A trial that ends may be an improvement, after which the search goes on. If there are no trials under way, the
    // anchor is being timed, and nothing may disturb that.
    if ((has_ended || under_way() == 0) && !line_.is_empty()) {
      line_.finish_oldest();
      continue;
    }
    if (has_ended) break;
    if (in_waves_ ? under_way() == 0 : !std::exchange(thought_, false) || under_way() == 0) {
      think();
      if (in_waves_ && under_way() > 0) ahead_ = std::min(2 * ahead_, most_ahead_);
    }
    if (under_way() == 0) break;  // nothing is left, or trials answered from the log ended the search
    step();
  }
  line_.withdraw_begun();
  tell_strategy();
}

// Has one trial begin or end. The strategy thinks right after a trial was sent, unless compiles that it would ask for
// then disturb the trial's samples.
void Search::step() {
  line_.give_way();
  if (!line_.has_place() && !line_.is_empty()) {
    thought_ = true;
    line_.make_place();
    return line_.give_way();
  }
  std::optional<CompiledInstance> compiled = line_.take_image(in_waves_, [this] { return is_over(); });
  if (!compiled || !line_.start(*std::move(compiled), false) || in_waves_) return;
  line_.begin_ahead();
  think();
  thought_ = true;
}

// Returns whether the search waits for no image any more. A configuration that is to be the anchor has a little time in
// any case.
bool Search::is_over() const {
  if (on_.stop.load() > 0) return true;
  if (tried_first_) return stop_reason().has_value();
  if (on_.bench().anchor().median_ns == 0) return stop_reason() && on_.bench().anchor_seconds_left() <= 0;
  return on_.progress.limit_reached(seconds(), on_.bench().anchor().median_ns).has_value();
}

// Trials of a wider space, and trials made only by the final stage, may lie outside the space.
void Search::tell_strategy() {
  for (const Trial& trial : std::exchange(untold_, {})) {
    const std::optional<Row>& row = on_.log.candidates().at(trial.configuration).row;
    const bool valid = trial.verdict == Verdict::ok;
    if (row) proposals_.tell(*row, {valid, valid ? on_.progress.score(trial) : 0, trial.compile_ms * 1e-3});
  }
}

// Returns whether the strategy is to be asked once more. Configurations that share an image are no work for the
// compilers, which must not wait while the device does. In waves, all proposals count.
bool Search::wants_more(std::size_t asked) const {
  if (under_way() < most_under_way()) return true;
  if (asked >= most_sharing) return false;  // the device needs no more that share an image: it has others
  const bool compilers_idle = on_.source.compiling() < ahead_ && on_.source.ready() < ahead_ / 2;
  return !in_waves_ && tried_first_ && compilers_idle && under_way() < most_sharing * most_under_way();
}

// Tells the strategy the outcomes and asks it until enough is under way. The strategy may take its time, because the
// device is at work meanwhile if possible. It thinks once per trial, so that what it proposes does not depend on speed.
void Search::think() {
  tell_strategy();
  for (std::size_t asked = 0; wants_more(asked) && !stop_reason(); ++asked) {
    const auto begun = on_.progress.run_trials() + static_cast<std::int64_t>(under_way());
    if (on_.terms.request.limits.trials && begun >= *on_.terms.request.limits.trials) return;
    const std::optional<Row> row = proposals_.next();
    if (!row) return;
    const Candidate& next = on_.log.candidates().at(*row);
    if (next.elsewhere)
      finish_trial(*next.elsewhere, true);
    else
      line_.propose(next.configuration);
    tell_strategy();
  }
}

void Search::finish_trial(const Trial& trial, bool from_log) {
  untold_.push_back(trial);
  const bool is_new = on_.log.add(trial);
  on_.progress.see(trial, is_new, from_log);
  on_.log.candidates().drop_worst_images([this](const Trial& one) { return on_.progress.score(one); });
  const double used = on_.progress.used_seconds(seconds());
  if (used - saved_seconds_ >= 1) {
    saved_seconds_ = used;
    saved_(used);
  }
  on_.log.show(on_.progress.shown(seconds(), on_.bench().anchor().median_ns, from_log));
}

}  // namespace attune
