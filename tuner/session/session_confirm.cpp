// Between search and final stage: the best are sampled again, at several moments, and ranked by that.
#include <algorithm>
#include <numeric>
#include <random>

#include "kernel/instantiate.hpp"
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

// One visit to a group: each is loaded and checked, then they take turns with the reference, so that a clock that
// drifts or jumps cancels: its first sample does not count, the others do relative to the reference's in the same
// round. What fails now has none. False when it ended early: stopped, or the reference failed itself.
bool SessionRun::visit(const std::vector<Trial>& trials, std::span<const std::size_t> group,
                       TrialWorker::CandidateId reference, Confirmations& ratios) {
  std::vector<std::size_t> whom;
  std::vector<TrialWorker::CandidateId> candidates;
  for (const std::size_t i : group) {
    if (stop_.load() > 0) break;
    const std::optional<Image> image = image_of(trials[i].configuration);
    if (!image) continue;
    const TrialWorker::Checked checked = worker_->check(trials[i].configuration, *image, trials[i].attempts);
    if (checked.candidate) {
      whom.push_back(i);
      candidates.push_back(*checked.candidate);
    } else {
      ratios[i].clear();
      lose_finalist(trials[i], checked.status);
    }
  }
  bool complete = stop_.load() == 0;
  while (complete && !whom.empty()) {
    const std::optional<std::size_t> failed = sample_beside(trials, whom, reference, candidates, ratios);
    if (!failed) break;
    const bool is_reference = *failed == whom.size();
    if (is_reference) {
      complete = false;
    } else {
      worker_->release(candidates[*failed]);
      whom.erase(whom.begin() + static_cast<std::ptrdiff_t>(*failed));
      candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(*failed));
    }
  }
  for (const TrialWorker::CandidateId candidate : candidates) worker_->release(candidate);
  return complete;
}

// Adds to the ratios of each; or says which failed, which is then lost: the reference is behind the last.
std::optional<std::size_t> SessionRun::sample_beside(const std::vector<Trial>& trials,
                                                     const std::vector<std::size_t>& whom,
                                                     TrialWorker::CandidateId reference,
                                                     const std::vector<TrialWorker::CandidateId>& candidates,
                                                     Confirmations& ratios) {
  std::vector<TrialWorker::CandidateId> turns = candidates;
  for (int i = 0; i < protocol_.confirm_samples; ++i) {
    turns.push_back(reference);
    turns.insert(turns.end(), candidates.begin(), candidates.end());
  }
  const TrialWorker::InTurn samples = sample_in_turn(turns);
  const std::size_t count = whom.size();
  if (!samples.status.ok()) {
    const auto at = std::find(candidates.begin(), candidates.end(), turns[samples.failed.value()]);
    const auto failed = static_cast<std::size_t>(at - candidates.begin());
    const std::size_t trial = failed == count ? 0 : whom[failed];
    ratios[trial].clear();
    lose_finalist(trials[trial], samples.status);
    return failed;
  }
  for (std::size_t begin = count; begin < samples.nanoseconds.size(); begin += count + 1) {
    const double reference_value = searched_value(trials[0], samples.nanoseconds[begin]);
    for (std::size_t i = 0; i < count; ++i) {
      const double value = searched_value(trials[whom[i]], samples.nanoseconds[begin + 1 + i]);
      ratios[whom[i]].push_back(value / reference_value);
    }
  }
  return std::nullopt;
}

// Of the survivors, best first, those that are worth it.
std::vector<Trial> SessionRun::near_best() const {
  const std::vector<Trial> survivors = ranked_survivors();
  std::vector<double> scores, sample_ns;
  for (const Trial& trial : survivors) {
    scores.push_back(score(trial));
    sample_ns.push_back(trial.measurement.median_ns * batch_);
  }
  std::vector<Trial> chosen;
  for (const std::size_t i : to_confirm(scores, sample_ns, protocol_)) chosen.push_back(survivors[i]);
  return chosen;
}

// Visits, each in random order. Who stayed in the last one that came to an end, by number and best first.
std::vector<std::size_t> SessionRun::confirm_beside(TrialWorker::CandidateId reference,
                                                    const std::vector<Trial>& chosen) {
  std::vector<std::size_t> whom(chosen.size()), stayed;
  std::iota(whom.begin(), whom.end(), std::size_t{0});
  std::mt19937_64 random(row_.seed);
  Confirmations ratios(chosen.size());
  const double begin = comparing_seconds();
  for (int i = 0; !whom.empty(); ++i) {
    std::shuffle(whom.begin(), whom.end(), random);
    if (!visit_all(chosen, whom, reference, ratios)) {
      std::erase_if(stayed, [&](std::size_t one) { return ratios[one].empty(); });  // cut, or failed now
      break;
    }
    stayed = by_confirmation(ratios);
    const std::size_t next = next_visit(i, stayed.size(), protocol_);
    // Loading and checking may take longer than samples.
    if (comparing_seconds() - begin > protocol_.confirm_seconds / 2) break;
    for (std::size_t k = next; next > 0 && k < stayed.size(); ++k) ratios[stayed[k]].clear();
    whom.assign(stayed.begin(), stayed.begin() + static_cast<std::ptrdiff_t>(next));
  }
  return stayed;
}

// In groups. False when it ended early.
bool SessionRun::visit_all(const std::vector<Trial>& chosen, std::span<const std::size_t> whom,
                           TrialWorker::CandidateId reference, Confirmations& ratios) {
  const auto most = static_cast<std::size_t>(protocol_.confirm_group);
  for (std::size_t at = 0; at < whom.size(); at += most)
    if (!visit(chosen, whom.subspan(at, std::min(most, whom.size() - at)), reference, ratios)) return false;
  note_watched();
  return true;
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
  const std::vector<std::size_t> stayed = confirm_beside(*best.candidate, chosen);
  worker_->release(*best.candidate);
  if (stayed.empty()) return ranked_survivors();
  std::vector<Trial> ranked;
  for (const std::size_t i : stayed) ranked.push_back(chosen[i]);
  return ranked;
}

}  // namespace attune
