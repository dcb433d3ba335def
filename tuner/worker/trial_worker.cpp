#include "worker/trial_worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "attune/error.hpp"
#include "worker/direct_transport.hpp"

namespace attune {
namespace {

// Beside the launch a check resets and compares data, as beginning the problem did: so many times as long, and a
// second.
constexpr double kDataFactor = 3, kDataSeconds = 1;

constexpr double kMostSeconds = 1e12;  // what is beyond, or goes back, is no clock

constexpr double kMostJoules = 1e9, kMostEnergyError = 1;  // what is beyond is no energy of a launch

constexpr double kOpenSeconds = 120;  // a driver may take long to wake a device

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// What no clock can show is no time: a clock that fails must not make a winner.
bool is_time(double nanoseconds) { return nanoseconds > 0 && nanoseconds < 1e18; }

[[noreturn]] void throw_failure(const Failure& failure) {
  if (failure.kind == Failure::Kind::out_of_memory) throw OutOfMemory(failure.text);
  if (failure.kind == Failure::Kind::usage) throw UsageError(failure.text);
  throw Error(failure.text);
}

bool uses_scratch(const TrialSetup& setup) {
  return std::any_of(setup.arguments.begin(), setup.arguments.end(),
                     [](const ArgumentSetup& argument) { return argument.role == Role::scratch; });
}

template <typename Wanted>
const Wanted& wanted(const Answer& answer) {
  if (const auto* found = std::get_if<Wanted>(&answer)) return *found;
  if (const auto* failure = std::get_if<Failure>(&answer)) throw_failure(*failure);
  throw Error("a worker gave another answer than was asked for; coordinator and worker must be the same build");
}

}  // namespace

DeviceOpened open_worker(Transport& transport) {
  const Heard heard = transport.ask(OpenDevice{}, kOpenSeconds);
  if (heard.end != Heard::End::replied) throw Error("the device worker does not start: " + heard.why);
  return wanted<DeviceOpened>(heard.reply.answer);
}

TrialWorker::TrialWorker(Transport& transport, const DeviceOpened& device, Compiler& compiler, const KernelSpec& spec,
                         const Problem& problem, const Configuration& fallback, std::uint64_t seed, Deadlines deadlines)
    : transport_(transport),
      spec_(spec),
      problem_(problem),
      device_(device),
      deadlines_(deadlines),
      setup_(trial_setup(spec, problem_, fallback, device.info, compiler, seed)),
      has_scratch_(uses_scratch(setup_)) {
  begin_problem();
}

TrialWorker::TrialWorker(Device& device, Compiler& compiler, const KernelSpec& spec, const Problem& problem,
                         const Configuration& fallback, std::uint64_t seed)
    : own_(std::make_unique<DirectTransport>(device)),
      transport_(*own_),
      spec_(spec),
      problem_(problem),
      device_(open_worker(transport_)),
      setup_(trial_setup(spec, problem_, fallback, device.info(), compiler, seed)),
      has_scratch_(uses_scratch(setup_)) {
  begin_problem();
}

TrialWorker::~TrialWorker() {
  if (asked_.empty()) return;
  // Whoever asks this worker next must not hear these answers.
  try {
    const bool is_at_trial = std::any_of(asked_.begin(), asked_.end(), [](const Asked& asked) {
      return asked.what != Asked::What::release && asked.what != Asked::What::filling;
    });
    if (is_at_trial) transport_.restart();
    hear_all();
  } catch (const std::exception&) {  // its device is lost, which the next request tells
  }
}

bool TrialWorker::can_batch() const noexcept {
  return std::none_of(setup_.arguments.begin(), setup_.arguments.end(),
                      [](const ArgumentSetup& argument) { return argument.role == Role::inout && argument.restore; });
}

// Data and reference, in a worker that may be new. One that dies of it is given a second chance, in a fresh one.
void TrialWorker::begin_problem() {
  lost_ = true;
  std::string why;
  for (int attempt = 1; attempt <= 2; ++attempt) {
    const double before = now();
    const Heard heard = transport_.ask(BeginProblem{setup_}, deadlines_.begin_seconds);
    if (heard.end != Heard::End::replied) {
      why = heard.why;
      continue;
    }
    const auto& begun = wanted<TrialOutcome>(heard.reply.answer);
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

void TrialWorker::follow(Reply& reply) {
  follow_clock(reply.seconds);
  if (reply.worked_seconds >= 0 && reply.worked_seconds < kMostSeconds) busy_seconds_ += reply.worked_seconds;
  for (DeviceState& state : reply.watched.states) watched_.states.push_back(std::move(state));
  for (std::string& user : reply.watched.users) watched_.users.push_back(std::move(user));
}

double TrialWorker::seconds() const { return device_.own_clock ? clock_before_ + clock_ : now(); }

double TrialWorker::launch_deadline(int launches) const {
  double limit = deadlines_.first_seconds;
  if (anchor_seconds_ > 0) limit = std::max(deadlines_.least_seconds, launches * deadlines_.factor * anchor_seconds_);
  if (deadlines_.user_seconds) limit = launches * *deadlines_.user_seconds;
  return limit + kDataSeconds + kDataFactor * begin_seconds_;
}

// The driver compiles PTX when it loads it.
double TrialWorker::load_deadline(const TrialLaunch& launch) const {
  const bool is_ptx = launch.steps.image.architecture.starts_with("compute_");
  return launch_deadline() + (is_ptx ? compile_limit_seconds().value_or(kCompileLimitSeconds) : 0);
}

void TrialWorker::ask(Asked::What what, const Request& request, double seconds, int batch) {
  transport_.send(request, seconds);
  asked_.push_back({what, seconds, batch});
}

void TrialWorker::ask_load(CandidateId id, const TrialLaunch& launch) {
  ask(Asked::What::load, LoadTrial{id, launch}, load_deadline(launch));
}

void TrialWorker::ask_check(CandidateId id) { ask(Asked::What::check, CheckCandidate{id}, launch_deadline()); }

void TrialWorker::ask_samples(CandidateId id, const SamplePlan& plan) {
  ask(Asked::What::samples, SampleCandidate{id, plan}, launch_deadline(plan.count * plan.batch), plan.batch);
}

void TrialWorker::ask_recheck(CandidateId id) {
  ask(Asked::What::recheck, RecheckCandidate{id, false}, launch_deadline());
}

void TrialWorker::ask_release(CandidateId id) { ask(Asked::What::release, ReleaseCandidate{id}, kOpenSeconds); }

void TrialWorker::ask_filling(const Filling& filling) {
  const auto found = candidates_.find(filling.candidate);
  if (found == candidates_.end() || !found->second.is_loaded || filling.plan.count <= 0) return;
  ask(Asked::What::filling, FillWithSamples{filling.candidate, filling.plan},
      launch_deadline(filling.plan.count * filling.plan.batch), filling.plan.batch);
}

// The answer that is next. Nothing when the worker died, or was too late: then `status` says so.
std::optional<Answer> TrialWorker::hear(Status& status) {
  const Asked asked = asked_.front();
  asked_.pop_front();
  Heard heard = transport_.receive(asked.seconds);
  if (heard.end == Heard::End::replied) {
    follow(heard.reply);
    if (const auto* sampled = std::get_if<Sampled>(&heard.reply.answer)) {
      double& seconds = asked.what == Asked::What::filling ? filling_seconds_ : timed_seconds_;
      for (const double nanoseconds : sampled->samples_ns)
        if (is_time(nanoseconds)) seconds += nanoseconds * asked.batch * 1e-9;
    }
    return std::move(heard.reply.answer);
  }
  lost_ = true;
  const bool late = heard.end == Heard::End::timed_out;
  status = {late ? Verdict::timeout : Verdict::fault, (late ? "did not end: " : "the device worker died: ") + heard.why,
            true};
  return std::nullopt;
}

Status TrialWorker::hear_outcome(Numerics& numerics, std::optional<bool>* deterministic) {
  Status status;
  const std::optional<Answer> answer = hear(status);
  if (!answer) return status;
  const auto& outcome = wanted<TrialOutcome>(*answer);
  if (outcome.status.sticky) lost_ = true;
  if (outcome.free_bytes > 0) free_bytes_ = outcome.free_bytes;
  numerics.include(outcome.numerics);
  if (deterministic != nullptr) *deterministic = outcome.deterministic;
  return outcome.status;
}

Samples TrialWorker::hear_samples() {
  Samples samples;
  const std::optional<Answer> answer = hear(samples.status);
  if (!answer) return samples;
  const auto& sampled = wanted<Sampled>(*answer);
  if (sampled.status.sticky) lost_ = true;
  samples = {sampled.status, sampled.samples_ns};
  const auto wrong = std::find_if_not(samples.nanoseconds.begin(), samples.nanoseconds.end(), is_time);
  if (wrong != samples.nanoseconds.end() && samples.status.ok())
    samples.status = {Verdict::unstable, fmt::format("the device's clock gave {} ns", *wrong), false};
  if (samples.status.ok() && samples.nanoseconds.empty())
    samples.status = {Verdict::unstable, "the device worker gave no sample", false};
  return samples;
}

TrialWorker::Metering TrialWorker::hear_metering() {
  Metering metering;
  const std::optional<Answer> answer = hear(metering.status);
  if (!answer) return metering;
  const auto& metered = wanted<MeteredEnergy>(*answer);
  if (metered.status.sticky) lost_ = true;
  const std::optional<LaunchEnergy>& energy = metered.energy;
  const bool is_energy = !energy || (energy->joules > 0 && energy->joules < kMostJoules && energy->error >= 0 &&
                                     energy->error < kMostEnergyError);
  if (metered.status.ok() && !is_energy)
    return {{Verdict::unstable, fmt::format("the device's energy counter gave {} J", energy->joules), false}, {}};
  return {metered.status, energy};
}

// An answer that nobody waits for: of filling a gap, of a release, of what was asked of a trial that failed before. A
// worker that dies of it was dying of what it ran before; nobody is blamed for it here.
void TrialWorker::hear_aside() {
  Status ignored;
  const bool is_filling = asked_.front().what == Asked::What::filling;
  const std::optional<Answer> answer = hear(ignored);
  if (!answer) return;
  if (const auto* outcome = std::get_if<TrialOutcome>(&*answer)) lost_ = lost_ || outcome->status.sticky;
  const auto* const sampled = std::get_if<Sampled>(&*answer);
  if (sampled == nullptr) return;
  lost_ = lost_ || sampled->status.sticky;
  if (is_filling)
    std::copy_if(sampled->samples_ns.begin(), sampled->samples_ns.end(), std::back_inserter(filling_samples_), is_time);
}

void TrialWorker::hear_aside_before(Asked::What what) {
  while (!asked_.empty() && asked_.front().what != what) hear_aside();
}

void TrialWorker::hear_all() {
  while (!asked_.empty()) hear_aside();
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
  for (auto& [id, candidate] : candidates_) candidate.is_loaded = false;
  transport_.restart();
  // What was asked of the last one; begin_problem() is the first that the next one hears.
  for (; !asked_.empty(); asked_.pop_front()) transport_.receive(kOpenSeconds);
  begin_problem();
}

}  // namespace attune
