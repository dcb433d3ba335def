// Between search and final stage: the best are sampled again at two moments, and ranked by that.
#include <algorithm>
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

// One visit, in random order. Samples in turn with the best by screening, so that a clock that drifts or jumps cancels.
// What fails now has none.
void SessionRun::visit(const std::vector<Trial>& trials, std::span<const std::size_t> whom,
                       TrialWorker::CandidateId reference, Confirmations& ratios) {
  for (const std::size_t i : whom) {
    if (stop_.load() > 0) return;
    const std::optional<Image> image = image_of(trials[i].configuration);
    if (!image) continue;
    const TrialWorker::Checked checked = worker_->check(trials[i].configuration, *image, trials[i].attempts);
    Status status = checked.status;
    if (checked.candidate) {
      status = sample_beside(reference, *checked.candidate, ratios[i]);
      worker_->release(*checked.candidate);
    }
    if (status.ok()) continue;
    ratios[i].clear();
    lose_finalist(trials[i], status);
  }
}

Status SessionRun::sample_beside(TrialWorker::CandidateId reference, TrialWorker::CandidateId candidate,
                                 std::vector<double>& ratios) {
  std::vector<TrialWorker::CandidateId> turns{candidate};  // the first is not counted
  for (int i = 0; i < protocol_.confirm_samples; ++i) turns.insert(turns.end(), {reference, candidate});
  const Samples samples = worker_->sample_in_turn(turns, timed({}));
  if (!samples.status.ok()) return samples.status;
  for (std::size_t i = 1; i + 1 < samples.nanoseconds.size(); i += 2)
    ratios.push_back(samples.nanoseconds[i + 1] / samples.nanoseconds[i]);
  return {};
}

// Best first. Without confirming, in the order of screening.
std::vector<Trial> SessionRun::confirm(std::vector<Trial> survivors) {
  std::vector<double> scores;
  for (const Trial& trial : survivors) scores.push_back(score(trial));
  std::vector<std::size_t> whom = to_confirm(scores, anchor_ns_ > 0 ? anchor_ns_ : 1, protocol_);
  if (whom.empty() || stop_.load() > 0) return survivors;
  std::vector<Trial> chosen(survivors.begin(), survivors.begin() + static_cast<std::ptrdiff_t>(whom.size()));
  load_images(chosen);
  const std::optional<Image> image = image_of(chosen.front().configuration);
  if (!image) return survivors;
  const TrialWorker::Checked best = worker_->check(chosen.front().configuration, *image, chosen.front().attempts);
  if (!best.candidate) return survivors;  // the final stage will find that out, and tell it
  observer_.confirm_started(whom.size());
  std::mt19937_64 random(row_.seed);
  Confirmations ratios(chosen.size());
  for (int i = 0; i < 2; ++i) {
    std::shuffle(whom.begin(), whom.end(), random);
    visit(chosen, whom, *best.candidate, ratios);
    whom = confirmed(ratios, protocol_);
  }
  worker_->release(*best.candidate);
  if (whom.empty()) return survivors;
  std::vector<Trial> ranked;
  for (const std::size_t i : whom) ranked.push_back(chosen[i]);
  return ranked;
}

}  // namespace attune
