#include "session/stage.hpp"

#include "attune/error.hpp"

namespace attune {

std::optional<ReadyInstance> Stage::ready(const Configuration& configuration) try {
  if (const ReadyInstance* const kept = on_.images.find(configuration)) return *kept;
  std::shared_ptr<const Instance> instance = on_.terms.instance(on_.next_instance(), configuration);
  CompileOutcome outcome = on_.pool.compile(instance->image);
  if (!outcome.image) return std::nullopt;
  ReadyInstance made{std::move(instance), std::move(*outcome.image)};
  on_.images.keep(made);
  return made;
} catch (const UsageError&) {
  return std::nullopt;
}

std::optional<Tried> Stage::load(const Trial& trial, const ReadyInstance& ready) {
  Result result = on_.bench.load(*ready.instance, ready.image, trial.attempts);
  Tried& tried = std::get<Tried>(result.answer);
  if (tried.status.ok()) return std::move(tried);
  lose(trial, Status(tried.status), result);
  return std::nullopt;
}

void Stage::lose(Trial trial, const Status& status, const Result& result) {
  trial.measurement = {};
  trial.verdict = status.verdict;
  trial.detail = status.detail;
  trial.deaths = result.deaths;
  trial.worker = result.worker;
  trial.made_ms = result.made_ms;
  on_.progress.lose_survivor();
  const bool is_new = on_.log.add(trial);
  on_.progress.see(trial, is_new, false);
  on_.log.show(on_.progress.shown(on_.search_seconds, on_.bench.anchor_ns(), false));
  on_.log.commit();
}

}  // namespace attune
