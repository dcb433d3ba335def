// Between search and final stage: the best are sampled again at two moments, and ranked by that.
#include <algorithm>
#include <numeric>
#include <random>

#include "core/instantiate.hpp"
#include "session/session_run.hpp"

namespace attune {

std::vector<Trial> SessionRun::ranked_survivors() const {
  std::vector<Trial> survivors;
  for (const auto& [text, trial] : trials_)
    if (trial.verdict == Verdict::ok) survivors.push_back(trial);
  std::stable_sort(survivors.begin(), survivors.end(),
                   [this](const Trial& a, const Trial& b) { return score(a) < score(b); });
  return survivors;
}

std::optional<Image> SessionRun::image_of(const Configuration& configuration) {
  if (const auto kept = images_kept_.find(configuration.text()); kept != images_kept_.end()) return kept->second;
  const ImageRequest request =
      image_request(request_.spec, request_.spec.launch, request_.problem, &configuration, device_);
  std::optional<Image> image = compiler_->compile(std::span(&request, 1)).front().image;
  if (image) images_kept_.insert_or_assign(configuration.text(), *image);
  return image;
}

// Of a continued session nothing is compiled yet: all at once, where the search compiled.
void SessionRun::load_images(const std::vector<Trial>& trials) {
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Configuration& configuration = trials[i].configuration;
    if (images_kept_.contains(configuration.text())) continue;
    source_->ask(i, image_request(request_.spec, request_.spec.launch, request_.problem, &configuration, device_));
  }
  while (source_->outstanding() > 0) {
    const std::optional<CompileResult> result = source_->next(stop_);
    if (!result) return source_->cancel();
    if (result->outcome.image)
      images_kept_.insert_or_assign(trials[result->id].configuration.text(), *result->outcome.image);
  }
}

// One visit, in random order. Samples in turn with the best by screening, the first of them, so that a clock that
// drifts or jumps cancels. What fails now has none. False when it ended early: stopped, or the reference failed itself.
bool SessionRun::visit(const std::vector<Trial>& trials, std::span<const std::size_t> whom,
                       TrialWorker::CandidateId reference, Confirmations& ratios) {
  for (const std::size_t i : whom) {
    if (stop_.load() > 0) return false;
    const std::optional<Image> image = image_of(trials[i].configuration);
    if (!image) continue;
    const TrialWorker::Checked checked = worker_->check(trials[i].configuration, *image, trials[i].attempts);
    Status status = checked.status;
    bool is_reference = false;
    if (checked.candidate) {
      status = sample_beside(reference, *checked.candidate, ratios[i], is_reference);
      worker_->release(*checked.candidate);
    }
    if (status.ok()) continue;
    ratios[i].clear();
    lose_finalist(trials[is_reference ? 0 : i], status);
    if (is_reference) return false;
  }
  return true;
}

Status SessionRun::sample_beside(TrialWorker::CandidateId reference, TrialWorker::CandidateId candidate,
                                 std::vector<double>& ratios, bool& is_reference) {
  std::vector<TrialWorker::CandidateId> turns{candidate};  // the first is not counted
  for (int i = 0; i < protocol_.confirm_samples; ++i) turns.insert(turns.end(), {reference, candidate});
  const TrialWorker::InTurn samples = worker_->sample_in_turn(turns, timed({}));
  if (!samples.status.ok()) {
    is_reference = turns[samples.failed] == reference;
    return samples.status;
  }
  for (std::size_t i = 1; i + 1 < samples.nanoseconds.size(); i += 2)
    ratios.push_back(samples.nanoseconds[i + 1] / samples.nanoseconds[i]);
  return {};
}

// Of the survivors, best first, those that are worth it.
std::vector<Trial> SessionRun::near_best() const {
  const std::vector<Trial> survivors = ranked_survivors();
  std::vector<double> scores;
  for (const Trial& trial : survivors) scores.push_back(score(trial));
  const double anchor_ns = (anchor_ns_ > 0 ? anchor_ns_ : 1) * batch_;
  std::vector<Trial> chosen;
  for (const std::size_t i : to_confirm(scores, anchor_ns, protocol_)) chosen.push_back(survivors[i]);
  return chosen;
}

// All survivors or those that were confirmed, best first. In the order of screening when the stage comes to no end.
std::vector<Trial> SessionRun::confirm(const std::vector<Trial>& chosen) {
  if (chosen.empty() || stop_.load() > 0) return ranked_survivors();
  const std::optional<Image> image = image_of(chosen.front().configuration);
  if (!image) return ranked_survivors();
  const TrialWorker::Checked best = worker_->check(chosen.front().configuration, *image, chosen.front().attempts);
  if (!best.candidate) {
    lose_finalist(chosen.front(), best.status);
    return ranked_survivors();
  }
  observer_.confirm_started(chosen.size());
  std::vector<std::size_t> whom(chosen.size());
  std::iota(whom.begin(), whom.end(), std::size_t{0});
  std::mt19937_64 random(row_.seed);
  Confirmations ratios(chosen.size());
  bool complete = true;
  const double begin = worker_->seconds();
  for (int i = 0; i < 2 && complete; ++i) {
    // Loading and checking may take longer than samples.
    if (i > 0 && worker_->seconds() - begin > protocol_.confirm_seconds / 2) break;
    std::shuffle(whom.begin(), whom.end(), random);
    complete = visit(chosen, whom, *best.candidate, ratios);
    if (complete) whom = confirmed(ratios, protocol_);
  }
  worker_->release(*best.candidate);
  if (!complete || whom.empty()) return ranked_survivors();
  std::vector<Trial> ranked;
  for (const std::size_t i : whom) ranked.push_back(chosen[i]);
  return ranked;
}

}  // namespace attune
