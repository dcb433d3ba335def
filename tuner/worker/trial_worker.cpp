#include "worker/trial_worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "attune/error.hpp"
#include "worker/direct_transport.hpp"

namespace attune {
namespace {

// A worker that has lost so much of its memory to what it ran is replaced before it fails for want of it.
constexpr double kLeakedShare = 0.5;

// Beside the launch a check resets and compares data, as beginning the problem did: so many times as long, and a
// second.
constexpr double kDataFactor = 3, kDataSeconds = 1;

constexpr double kMostSeconds = 1e12;  // what is beyond, or goes back, is no clock

constexpr double kOpenSeconds = 120;  // a driver may take long to wake a device

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// What no clock can show is no time: a clock that fails must not make a winner.
bool is_time(double nanoseconds) { return nanoseconds > 0 && nanoseconds < 1e18; }

[[noreturn]] void throw_failure(const Failure& failure) {
  if (failure.kind == Failure::Kind::out_of_memory) throw OutOfMemory(failure.text);
  if (failure.kind == Failure::Kind::usage) throw UsageError(failure.text);
  throw Error(failure.text);
}

template <typename Wanted>
const Wanted& wanted(const Reply& reply) {
  if (const auto* failure = std::get_if<Failure>(&reply.answer)) throw_failure(*failure);
  if (const auto* found = std::get_if<Wanted>(&reply.answer)) return *found;
  throw Error("a worker gave another answer than was asked for; coordinator and worker must be the same build");
}

}  // namespace

DeviceOpened open_worker(Transport& transport) {
  const Heard heard = transport.ask(OpenDevice{}, kOpenSeconds);
  if (heard.end != Heard::End::replied) throw Error("the device worker does not start: " + heard.why);
  return wanted<DeviceOpened>(heard.reply);
}

TrialWorker::TrialWorker(Transport& transport, const DeviceOpened& device, Compiler& compiler, const KernelSpec& spec,
                         const Problem& problem, const Configuration& fallback, std::uint64_t seed, Deadlines deadlines)
    : transport_(transport),
      spec_(spec),
      problem_(problem),
      device_(device),
      deadlines_(deadlines),
      setup_(trial_setup(spec, problem_, fallback, device.info, compiler, seed)) {
  begin();
}

TrialWorker::TrialWorker(Device& device, Compiler& compiler, const KernelSpec& spec, const Problem& problem,
                         const Configuration& fallback, std::uint64_t seed)
    : own_(std::make_unique<DirectTransport>(device)),
      transport_(*own_),
      spec_(spec),
      problem_(problem),
      device_(open_worker(transport_)),
      setup_(trial_setup(spec, problem_, fallback, device.info(), compiler, seed)) {
  begin();
}

TrialWorker::~TrialWorker() {
  if (!loading_ && ahead_.empty()) return;
  // Whoever asks this worker next must not hear these answers.
  try {
    if (loading_) transport_.restart();
    hear_ahead();
    if (loading_) transport_.receive(kOpenSeconds);
  } catch (const std::exception&) {  // its device is lost, which the next request tells
  }
}

// Data and reference, in a worker that may be new. One that dies of it is given a second chance, in a fresh one.
void TrialWorker::begin() {
  lost_ = true;
  std::string why;
  for (int attempt = 1; attempt <= 2; ++attempt) {
    const double before = now();
    const Heard heard = transport_.ask(BeginProblem{setup_}, deadlines_.begin_seconds);
    if (heard.end != Heard::End::replied) {
      why = heard.why;
      continue;
    }
    const auto& begun = wanted<TrialOutcome>(heard.reply);
    follow_clock(heard.reply.seconds);
    begin_seconds_ = now() - before;
    free_at_begin_ = free_bytes_ = begun.free_bytes;
    lost_ = false;
    return;
  }
  throw Error(fmt::format("two device workers died while the data and the reference of {} for {} were made: {}",
                          spec_.name, problem_.text(), why));
}

void TrialWorker::follow_clock(double seconds) noexcept {
  if (seconds >= clock_ && seconds < kMostSeconds) clock_ = seconds;
}

double TrialWorker::seconds() const { return device_.own_clock ? clock_before_ + clock_ : now(); }

double TrialWorker::launch_deadline() const {
  const double usual = anchor_seconds_ > 0 ? std::max(deadlines_.least_seconds, deadlines_.factor * anchor_seconds_)
                                           : deadlines_.first_seconds;
  return deadlines_.user_seconds.value_or(usual) + kDataSeconds + kDataFactor * begin_seconds_;
}

// The driver compiles PTX when it loads it.
double TrialWorker::load_deadline(const TrialLaunch& launch) const {
  const bool is_ptx = launch.steps.image.architecture.starts_with("compute_");
  return launch_deadline() + (is_ptx ? compile_limit_seconds().value_or(kCompileLimitSeconds) : 0);
}

template <typename Wanted>
std::optional<Wanted> TrialWorker::ask(const Request& request, double seconds, Status& status) {
  transport_.send(request, seconds);
  return hear<Wanted>(seconds, status);
}

template <typename Wanted>
std::optional<Wanted> TrialWorker::hear(double seconds, Status& status) {
  const Heard heard = transport_.receive(seconds);
  if (heard.end == Heard::End::replied) {
    follow_clock(heard.reply.seconds);
    const double worked = heard.reply.worked_seconds;
    if (worked >= 0 && worked < kMostSeconds) busy_seconds_ += worked;
    return wanted<Wanted>(heard.reply);
  }
  lost_ = true;
  const bool late = heard.end == Heard::End::timed_out;
  status = {late ? Verdict::timeout : Verdict::fault, (late ? "did not end: " : "the device worker died: ") + heard.why,
            true};
  return std::nullopt;
}

// A worker that dies of a release, or of what it ran before, was dying: nobody is blamed for it here.
void TrialWorker::hear_ahead() {
  while (!ahead_.empty()) {
    const Ahead what = ahead_.front();
    ahead_.pop_front();
    Status ignored;
    if (what == Ahead::release) {
      hear<Done>(kOpenSeconds, ignored);
      continue;
    }
    const auto sampled = hear<Sampled>(launch_deadline(), ignored);
    if (!sampled) continue;
    lost_ = lost_ || sampled->status.sticky;
    if (sampled->status.ok() && is_time(sampled->nanoseconds)) beside_samples_.push_back(sampled->nanoseconds);
  }
}

void TrialWorker::hear_all() {
  hear_ahead();
  if (!std::exchange(loading_, false)) return;
  Status ignored;
  const auto outcome = hear<TrialOutcome>(begun_ ? load_deadline(*begun_) : launch_deadline(), ignored);
  lost_ = lost_ || (outcome && outcome->status.sticky);
}

void TrialWorker::forget_check() {
  hear_all();
  begun_.reset();
}

// Nothing is unanswered, and there is a worker.
void TrialWorker::be_ready() {
  hear_all();
  if (lost_) revive();
}

void TrialWorker::revive() {
  ++revivals_;
  clock_before_ += clock_;
  clock_ = 0;
  for (auto& [id, candidate] : candidates_) candidate.loaded.reset();
  transport_.restart();
  // What was asked of the last one; begin() is the first that the next one hears.
  const std::size_t unheard = ahead_.size() + (std::exchange(loading_, false) ? 1 : 0);
  for (std::size_t i = 0; i < unheard; ++i) transport_.receive(kOpenSeconds);
  ahead_.clear();
  begin();
}

void TrialWorker::send_load(const TrialLaunch& launch) {
  transport_.send(LoadTrial{launch}, load_deadline(launch));
  loading_ = true;
}

TrialWorker::Checked TrialWorker::finish_load(const TrialLaunch& launch, const std::function<void()>& meanwhile) {
  hear_ahead();
  if (lost_ || !loading_) {
    be_ready();
    send_load(launch);
  }
  Checked checked;
  loading_ = false;
  const auto loaded = hear<TrialOutcome>(load_deadline(launch), checked.status);
  if (!loaded) return checked;
  if (checked.status = loaded->status; !checked.status.ok()) {
    lost_ = checked.status.sticky;
    return checked;
  }
  transport_.send(CheckLoaded{}, launch_deadline());
  loading_ = true;  // should `meanwhile` throw
  if (meanwhile) meanwhile();
  loading_ = false;
  const auto outcome = hear<TrialOutcome>(launch_deadline(), checked.status);
  if (!outcome) return checked;
  checked.status = outcome->status;
  checked.max_error = outcome->max_error;
  if (outcome->candidate != 0) checked.candidate = outcome->candidate;
  lost_ = checked.status.sticky;
  free_bytes_ = outcome->free_bytes;
  return checked;
}

void TrialWorker::begin_check(const Configuration& configuration, const Image& image, int attempt, Beside beside) {
  const bool leaked = static_cast<double>(free_bytes_) < (1 - kLeakedShare) * static_cast<double>(free_at_begin_);
  lost_ = lost_ || leaked;
  if (loading_ || lost_) be_ready();
  beside_samples_.clear();
  const auto candidate = candidates_.find(beside.candidate);
  if (candidate != candidates_.end() && candidate->second.loaded) {
    for (int i = 0; i < beside.samples; ++i) {
      transport_.send(SampleCandidate{*candidate->second.loaded}, launch_deadline());
      ahead_.push_back(Ahead::sample);
    }
  }
  begun_ = trial_launch(spec_, problem_, configuration, device_.info, image);
  begun_->attempt = attempt;
  send_load(*begun_);
}

TrialWorker::Checked TrialWorker::finish_check(const std::function<void()>& meanwhile) {
  Candidate candidate{std::move(begun_.value()), {}};
  begun_.reset();
  Checked checked = finish_load(candidate.launch, meanwhile);
  if (!checked.candidate) return checked;
  candidate.loaded = checked.candidate;
  checked.candidate = next_++;
  candidates_.emplace(*checked.candidate, std::move(candidate));
  return checked;
}

TrialWorker::Checked TrialWorker::check(const Configuration& configuration, const Image& image, int attempt) {
  begin_check(configuration, image, attempt, {});
  return finish_check();
}

Status TrialWorker::ensure_loaded(Candidate& candidate) {
  be_ready();
  if (candidate.loaded) return {};
  send_load(candidate.launch);
  const Checked checked = finish_load(candidate.launch, {});
  candidate.loaded = checked.candidate;
  return checked.status;
}

Sample TrialWorker::sample(CandidateId id) {
  Candidate& candidate = candidates_.at(id);
  Sample sample;
  if (sample.status = ensure_loaded(candidate); !sample.status.ok()) return sample;
  const auto sampled = ask<Sampled>(SampleCandidate{*candidate.loaded}, launch_deadline(), sample.status);
  if (!sampled) return sample;
  lost_ = sampled->status.sticky;
  sample = {sampled->status, sampled->nanoseconds};
  if (sample.status.ok() && !is_time(sample.nanoseconds))
    sample.status = {Verdict::unstable, fmt::format("the device's clock gave {} ns", sample.nanoseconds), false};
  return sample;
}

Status TrialWorker::recheck(CandidateId id, double& max_error) {
  Candidate& candidate = candidates_.at(id);
  Status status;
  if (status = ensure_loaded(candidate); !status.ok()) return status;
  const auto outcome = ask<TrialOutcome>(RecheckCandidate{*candidate.loaded}, launch_deadline(), status);
  if (!outcome) return status;
  max_error = std::max(max_error, outcome->max_error);
  lost_ = outcome->status.sticky;
  return outcome->status;
}

Status TrialWorker::warm_up(CandidateId id, double milliseconds) {
  Candidate& candidate = candidates_.at(id);
  Status status;
  if (status = ensure_loaded(candidate); !status.ok()) return status;
  const auto outcome = ask<TrialOutcome>(WarmUpCandidate{*candidate.loaded, milliseconds},
                                         launch_deadline() + milliseconds * 1e-3, status);
  if (!outcome) return status;
  lost_ = outcome->status.sticky;
  return outcome->status;
}

void TrialWorker::release(CandidateId id) {
  const auto found = candidates_.find(id);
  if (found == candidates_.end()) return;
  if (loading_) hear_all();
  if (found->second.loaded && !lost_) {
    transport_.send(ReleaseCandidate{*found->second.loaded}, kOpenSeconds);
    ahead_.push_back(Ahead::release);
  }
  candidates_.erase(found);
}

}  // namespace attune
