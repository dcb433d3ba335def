#include "tuning/tune_parts.hpp"

#include <fmt/format.h>

#include <utility>

#include "files/paths.hpp"

namespace attune {
namespace {

std::filesystem::path lock_folder(const TuneOptions& options) {
  std::string why;
  std::filesystem::path folder = usable_lock_folder(why);
  if (folder.empty() && options.note)
    options.note(fmt::format("turns with other tuners are not taken, as there is no folder of locks ({})", why));
  return folder;
}

}  // namespace

void ListenerObserver::trial_done(const Trial& trial, const Progress& progress) {
  if (!options_.on_trial) return;
  const bool is_ok = trial.verdict == Verdict::ok;
  options_.on_trial({trial.configuration, std::string(to_text(trial.verdict)), trial.detail,
                     is_ok ? trial.measurement.median_ns : 0, progress.new_best, progress.trials, progress.default_ns,
                     progress.best_ns, progress.best});
}

void ListenerObserver::note(const std::string& text) {
  if (options_.note) options_.note(text);
}

void fill_request(Effort effort, const TuneOptions& options, SessionRequest& request) {
  request.effort = effort;
  request.limits.seconds = options.seconds;
  request.limits.trials = options.trials;
  request.limits.patience = options.patience;
  request.strategy = options.strategy;
  request.seed = options.seed;
  request.fresh = options.fresh;
  request.lock_folder = lock_folder(options);
}

TuneResult estimate_of(Match match) {
  TuneResult result;
  result.end = Ending::estimated;
  result.configuration = std::move(match.configuration);
  result.speedup = match.speedup;
  result.explanation = std::move(match.why);
  return result;
}

TuneResult result_of(SessionResult session, const TuneOptions& options) {
  const bool is_stored = session.record && session.decision && !session.record_stands;
  if (is_stored && options.on_record) {
    const Record& record = *session.record;
    options.on_record({record.configuration, record.median_ns, record.default_ns, record.speedup, record.speedup_low,
                       record.speedup_high});
  }
  TuneResult result;
  result.end = session.end;
  result.trials = session.trials;
  result.explanation = std::move(session.explanation);
  if (!session.record) return result;
  result.configuration = session.record->configuration;
  result.median_ns = session.record->median_ns;
  result.default_ns = session.record->default_ns;
  result.speedup = session.record->speedup;
  return result;
}

}  // namespace attune
