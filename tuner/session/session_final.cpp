// The final stage: finalists against each other, the decision, the record.
#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <random>

#include "attune/error.hpp"
#include "attune/version.hpp"
#include "session/session_run.hpp"

namespace attune {
namespace {

// After an interruption the user waits: this much comparing at most.
constexpr double kInterruptedFinalSeconds = 1;

std::int64_t unix_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

template <typename T>
void erase_at(std::vector<T>& items, std::size_t index) {
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
}

}  // namespace

Finalist SessionRun::finalist_of(const Trial& trial) const {
  Finalist finalist;
  finalist.configuration = trial.configuration.text();
  finalist.is_default = trial.configuration == *default_;
  finalist.is_record = present_ && trial.configuration == present_->configuration;
  std::uint64_t dynamic = 0;
  for (const ResolvedStep& step :
       resolve_steps(request_.spec, request_.spec.launch, request_.problem, &trial.configuration, device_))
    dynamic = std::max(dynamic, step.shape.shared_bytes);
  finalist.resource_cost = static_cast<std::uint64_t>(trial.usage.registers) + trial.usage.shared_static + dynamic;
  return finalist;
}

// A finalist that fails now after all is logged as what it is.
void SessionRun::lose_finalist(Trial trial, const Status& status) {
  trial.measurement = {};
  trial.verdict = status.verdict;
  trial.detail = status.detail;
  if (status.sticky) check_environment(trial);
  --survivors_;
  finish_trial(trial, false);
  commit();
}

std::vector<Trial> SessionRun::choose_finalists(std::vector<Trial> ranked) const {
  if (ranked.size() > static_cast<std::size_t>(protocol_.finalists))
    ranked.resize(static_cast<std::size_t>(protocol_.finalists));
  const auto add = [&](const Configuration& configuration) {
    const bool there =
        std::any_of(ranked.begin(), ranked.end(), [&](const Trial& t) { return t.configuration == configuration; });
    // Not contains(): in a narrowed space the present record stands for what lies outside.
    if (there || !space_.broken_rules(configuration).empty()) return;
    const auto tried = trials_.find(configuration.text());
    if (tried != trials_.end() && tried->second.verdict != Verdict::ok) return;
    Trial trial;
    trial.configuration = configuration;
    ranked.push_back(tried == trials_.end() ? trial : tried->second);
  };
  add(*default_);
  if (present_) add(present_->configuration);
  return ranked;
}

// Those that do not pass their check again are lost.
std::vector<TrialWorker::CandidateId> SessionRun::load_finalists(std::vector<Trial>& trials) {
  std::vector<TrialWorker::CandidateId> candidates;
  for (std::size_t i = 0; i < trials.size();) {
    const std::optional<Image> image = image_of(trials[i].configuration);
    const TrialWorker::Checked checked =
        image ? worker_->check(trials[i].configuration, *image, trials[i].attempts) : TrialWorker::Checked{};
    if (!checked.candidate) {
      if (image) lose_finalist(trials[i], checked.status);
      erase_at(trials, i);
      continue;
    }
    candidates.push_back(*checked.candidate);
    ++i;
  }
  return candidates;
}

// One sample of each, in random order, by finalist; or the number of one that failed, which is then lost.
std::optional<std::size_t> SessionRun::measure_round(const std::vector<Trial>& trials,
                                                     const std::vector<TrialWorker::CandidateId>& candidates,
                                                     std::mt19937_64& random, std::vector<double>& round) {
  std::vector<std::size_t> order(trials.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  std::vector<TrialWorker::CandidateId> turns;
  for (const std::size_t i : order) turns.push_back(candidates[i]);
  const TrialWorker::InTurn samples = worker_->sample_in_turn(turns, timed({}));
  if (!samples.status.ok()) {
    const std::size_t failed = order[samples.failed];
    lose_finalist(trials[failed], samples.status);
    return failed;
  }
  round.resize(trials.size());
  for (std::size_t i = 0; i < order.size(); ++i) round[order[i]] = std::max(samples.nanoseconds[i], 1.0);
  return std::nullopt;
}

FinalDecision SessionRun::final_stage(std::vector<Trial> trials) {
  std::vector<TrialWorker::CandidateId> candidates = load_finalists(trials);
  if (trials.empty())
    throw Error("no finalist of " + request_.spec.name + " passes its check again; run the command once more");

  Protocol protocol = protocol_;
  if (stop_.load() > 0) protocol.final_seconds = std::min(protocol.final_seconds, kInterruptedFinalSeconds);
  observer_.final_started(trials.size());
  const double begin = worker_->seconds();
  const auto seconds = [&] { return worker_->seconds() - begin; };
  std::mt19937_64 random(row_.seed);
  Rounds rounds;
  while (wants_another_round(rounds, seconds(), protocol) && (rounds.empty() || stop_.load() < 2)) {
    std::vector<double> round;
    const std::optional<std::size_t> failed = measure_round(trials, candidates, random, round);
    if (!failed) {
      rounds.push_back(round);
      observer_.final_round_done(rounds.size());
      continue;
    }
    erase_at(trials, *failed);
    erase_at(candidates, *failed);
    for (std::vector<double>& earlier : rounds) erase_at(earlier, *failed);
    if (trials.empty()) throw Error("every finalist of " + request_.spec.name + " failed while it was measured");
  }
  for (const TrialWorker::CandidateId candidate : candidates) worker_->release(candidate);

  std::vector<Finalist> finalists;
  for (const Trial& trial : trials) finalists.push_back(finalist_of(trial));
  finalists_ = std::move(trials);
  const FinalDecision decision = decide(finalists, rounds, protocol);
  observer_.final_done(decision);
  return decision;
}

Record SessionRun::make_record(const FinalDecision& decision, const Trial& winner) const {
  Record record;
  record.uuid = make_uuid();
  record.key = key_.record;
  record.device_name = device_.name;
  record.compute_capability = device_.compute_capability;
  record.multiprocessors = device_.multiprocessors;
  record.configuration = winner.configuration;
  record.median_ns = decision.median_ns;
  record.default_ns = decision.default_ns;
  record.speedup = decision.speedup;
  record.speedup_low = decision.speedup_interval.low;
  record.speedup_high = decision.speedup_interval.high;
  record.effort = request_.effort;
  record.unstable = decision.unstable;
  record.self_checked = worker_->self_checked();
  record.space = key_.space;
  record.toolchain = compiler_->toolchain();
  record.driver = device_.driver;
  record.device_uuid = device_.uuid;
  record.attune_version = kVersion;
  record.protocol = Protocol::version;
  record.seed = row_.seed;
  record.trials = static_cast<std::int64_t>(trials_.size());
  record.made_ms = unix_ms();
  return record;
}

void SessionRun::keep_record(Record record, bool measured_against_present) {
  // Whoever won did so against the present record, in the same rounds; what that one's search had covered of this very
  // space stays covered.
  const bool same_space = measured_against_present && present_->space == record.space;
  if (same_space && present_->effort > record.effort) {
    record.effort = present_->effort;
    record.partial = present_->partial;
  } else if (same_space && present_->effort == record.effort) {
    record.partial = record.partial && present_->partial;
  }
  store_.put_record(record, measured_against_present ? std::string_view(present_->uuid) : std::string_view());
  const auto kept = images_kept_.find(record.configuration.text());
  if (images_ == nullptr || kept == images_kept_.end()) return;
  const ImageRequest request =
      image_request(request_.spec, request_.spec.launch, request_.problem, &record.configuration, device_);
  images_->put(request.key(), kept->second);
}

std::string SessionRun::stopped_explanation() const {
  return "\nstopped early: nearly all of the first configurations fail alike. When the kernel is right, a rule in "
         "[restrictions] is missing that says which configurations cannot work (attune check shows one, attune space "
         "--audit what rules remove); --keep-going searches on in spite of it";
}

std::string SessionRun::failures_explanation() const {
  std::map<Verdict, std::pair<int, const Trial*>> counts;
  for (const auto& [text, trial] : trials_) {
    if (trial.verdict == Verdict::ok) continue;
    auto& [count, example] = counts[trial.verdict];
    if (count++ == 0) example = &trial;
  }
  std::string text = (survivors_ == 0 ? "none" : std::to_string(survivors_)) + " of the " +
                     std::to_string(trials_.size()) + " configurations tried survived";
  for (const auto& [verdict, entry] : counts)
    text += ", " + std::to_string(entry.first) + " " + std::string(to_text(verdict));
  if (counts.empty()) return text;
  const auto most = std::max_element(counts.begin(), counts.end(),
                                     [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
  const Trial& example = *most->second.second;
  text += "\nfor instance " + example.configuration.text() + ":\n" + example.detail;
  if (most->first == Verdict::wrong_result && most->second.first == static_cast<int>(trials_.size()))
    text += "\nall disagree with the reference: look at [[reference]] and at the tolerances in [check] first";
  return text;
}

}  // namespace attune
