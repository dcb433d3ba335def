#include "session/stage.hpp"

#include "attune/error.hpp"
#include "core/unix_ms.hpp"

namespace attune {

std::optional<Stage::Ready> Stage::ready(const Configuration& configuration) try {
  std::shared_ptr<const Instance> instance = on_.terms.instance(on_.next_instance(), configuration);
  if (const Image* const kept = on_.images.find(instance->text)) return Ready{std::move(instance), *kept};
  CompileOutcome outcome = on_.pool.compile(instance->image);
  if (!outcome.image) return std::nullopt;
  on_.images.keep(instance->text, *outcome.image);
  return Ready{std::move(instance), std::move(*outcome.image)};
} catch (const UsageError&) {
  return std::nullopt;
}

std::optional<Tried> Stage::load(const Trial& trial, const Ready& ready) {
  Result result = on_.bench.load(*ready.instance, ready.image, trial.attempts);
  Tried& tried = std::get<Tried>(result.answer);
  if (tried.status.ok()) return std::move(tried);
  lose(trial, tried.status, result.deaths);
  return std::nullopt;
}

void Stage::lose(Trial trial, const Status& status, int deaths) {
  trial.measurement = {};
  trial.verdict = status.verdict;
  trial.detail = status.detail;
  trial.deaths = deaths;
  trial.made_ms = unix_ms();
  on_.progress.lose_survivor();
  const bool is_new = on_.log.add(trial);
  on_.progress.see(trial, is_new, false);
  on_.log.show(on_.progress.shown(on_.search_seconds, on_.bench.anchor_ns(), false));
  on_.log.commit();
}

}  // namespace attune
