#include "session/stage.hpp"

#include <utility>

#include "attune/error.hpp"
#include "session/failed_trial.hpp"

namespace attune {

std::optional<ReadyInstance> Stage::ready(const Configuration& configuration) try {
  if (const auto& kept = on_.log.candidates().at(configuration).ready) return *kept;
  std::shared_ptr<const Instance> instance = on_.terms.subject.prepare(on_.next_instance(), configuration);
  ReadyInstance made{std::move(instance), {}};
  if (made.instance->image) {
    CompileOutcome outcome = on_.pool.compile(*made.instance->image);
    if (!outcome.image) return std::nullopt;
    made.image = std::move(*outcome.image);
  }
  on_.log.candidates().keep(made);
  return made;
} catch (const UsageError&) {
  return std::nullopt;
}

std::optional<TryAnswer> Stage::load(TrialBench& bench, const Trial& trial, const ReadyInstance& ready) {
  Result result = bench.run(Load{instance_launch(*ready.instance, ready.image, trial.attempts), {}});
  TryAnswer& tried = std::get<TryAnswer>(result.answer);
  if (tried.status.ok()) return std::move(tried);
  Trial failed = trial;
  describe(failed, *ready.instance, &ready.image, bench.is_self_checked());
  lose(bench, std::move(failed), Status(tried.status), result);
  return std::nullopt;
}

void Stage::lose(const TrialBench& bench, Trial trial, const Status& status, const Result& result) {
  const Trial* const before = on_.log.find(trial.configuration);
  if (before != nullptr && before->verdict != Verdict::ok) return;
  trial = failed_trial(std::move(trial), status, result);
  trial.board = bench.device().uuid;
  on_.progress.lose_survivor();
  const bool is_new = on_.log.add(trial);
  on_.progress.see(trial, is_new, false);
  on_.log.show(on_.progress.shown(on_.search_seconds, on_.bench().anchor().median_ns, false));
  on_.log.commit();
}

}  // namespace attune
