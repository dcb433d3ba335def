#include "worker/compile_lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "attune/error.hpp"
#include "base/await.hpp"
#include "base/start_thread.hpp"
#include "base/user_limits.hpp"

namespace attune {
namespace {

// The time limit of one image is default_compile_limit_seconds at first, because a worker's first compiles make
// precompiled headers. Once the times of `known_images` are known, it is `limit_factor` times the time within which
// nine in ten of them compile, but at least `least_seconds` and at most the default.
constexpr double least_seconds = 20, limit_factor = 10;
constexpr std::size_t known_images = 20, most_known_images = 256;
constexpr double open_seconds = 60;

constexpr std::uint64_t most_batch = 1024;

constexpr int deaths_to_verdict = 2;

CompileOutcome death_of(const Receipt& received) {
  CompileOutcome outcome;
  const bool late = received.end == Receipt::End::timed_out;
  outcome.verdict = late ? Verdict::compile_timeout : Verdict::compile_crash;
  outcome.log = (late ? "the compiler did not end, twice: " : "the compiler died, twice: ") + received.why;
  return outcome;
}

// Has the worker do a job. Sets `begun` to whether it began the job.
Receipt answer_of(Transport& worker, const Job& job, TimeLimit limit, bool& begun) {
  worker.send(job, limit.seconds);
  Receipt received = worker.receive({limit.seconds + open_seconds, true});
  begun = received.end == Receipt::End::replied;
  if (begun && std::holds_alternative<StartNotice>(received.reply.answer)) received = worker.receive(limit);
  return received;
}

std::vector<CompileOutcome>& outcomes_of(Receipt& received) {
  return std::get<CompileAnswer>(received.reply.answer).outcomes;
}

std::string cannot_start(const std::string& why) {
  const char* const limited = compile_limit_bytes() ? " (is ATTUNE_COMPILE_MEMORY too little?)" : "";
  return "the compile worker does not start: " + why + limited;
}

}  // namespace

CompileLanes::CompileLanes(Start start, std::function<void(Result)> deliver)
    : start_(std::move(start)), deliver_(std::move(deliver)), user_seconds_(compile_limit_seconds()), spare_(start_()) {
  bool begun = false;
  const Receipt received = answer_of(*spare_, OpenCompiler{}, {open_seconds, true}, begun);
  if (received.end != Receipt::End::replied) throw Error(cannot_start(received.why));
  if (const auto* failure = std::get_if<Failure>(&received.reply.answer)) throw Error(failure->text);
  const auto* const opened = std::get_if<CompilerFacts>(&received.reply.answer);
  if (opened == nullptr)
    throw Error(
        "the compile worker gave another answer than was asked for; coordinator and worker must be the same build");
  opened_ = *opened;
  opened_.preferred_batch = std::clamp<std::uint64_t>(opened_.preferred_batch, 1, most_batch);
}

CompileLanes::~CompileLanes() {
  cancel();
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  for (Lane& lane : lanes_) lane.thread.join();
}

void CompileLanes::set_most(unsigned lanes) {
  const std::lock_guard lock(mutex_);
  most_ = std::max(1u, lanes);
}

void CompileLanes::start_all() {
  const std::lock_guard lock(mutex_);
  while (lanes_.size() < most_) add_lane(true);
}

// The caller holds the mutex.
void CompileLanes::add_lane(bool opens_first) {
  std::unique_ptr<Transport> worker = spare_ ? std::move(spare_) : start_();
  Lane& lane = lanes_.emplace_back();
  lane.worker = std::move(worker);
  lane.opens_first = opens_first;
  try {
    lane.thread = start_thread<std::thread>([this, &lane] { run(lane); });
  } catch (const Error&) {
    lanes_.pop_back();
    if (lanes_.empty()) throw;
    most_ = lanes_.size();  // the lanes that run go on
  }
}

void CompileLanes::submit(Ticket ticket, ImageRequest request) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({ticket, std::move(request)});
    if (idle_ < waiting_.size() && lanes_.size() < most_) add_lane(false);
  }
  changed_.notify_one();
}

void CompileLanes::cancel() noexcept {
  const std::lock_guard lock(mutex_);
  ++epoch_;
  waiting_.clear();
  for (Lane& lane : lanes_) {
    if (!lane.is_busy) continue;
    lane.is_interrupted = true;
    lane.worker->interrupt();
  }
}

bool CompileLanes::is_abandoned(std::uint64_t epoch) const {
  const std::lock_guard lock(mutex_);
  return epoch != epoch_;
}

// Waits for images and returns a batch of them. An empty batch means that the lanes end.
std::vector<CompileLanes::QueuedImage> CompileLanes::take_batch(Lane& lane, std::uint64_t& epoch) {
  std::unique_lock lock(mutex_);
  lane.is_busy = false;
  ++idle_;
  await(changed_, lock, [this] { return ends_ || !waiting_.empty(); });
  --idle_;
  std::vector<QueuedImage> batch;
  if (ends_) return batch;
  lane.is_busy = true;
  epoch = epoch_;
  // Every lane takes an even share, so that no lane takes a whole batch while others idle.
  const std::size_t share = (waiting_.size() + most_ - 1) / most_;
  const std::size_t count = std::clamp<std::size_t>(share, 1, opened_.preferred_batch);
  while (batch.size() < count && !waiting_.empty()) {
    batch.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  return batch;
}

bool CompileLanes::was_interrupted(Lane& lane) {
  const std::lock_guard lock(mutex_);
  return std::exchange(lane.is_interrupted, false);
}

void CompileLanes::run(Lane& lane) {
  if (lane.opens_first) {
    try {
      bool begun = false;
      answer_of(*lane.worker, OpenCompiler{}, {open_seconds, true}, begun);
    } catch (const Error&) {  // a worker that fails here fails again when it compiles
    }
  }
  for (;;) {
    std::uint64_t epoch = 0;
    const std::vector<QueuedImage> batch = take_batch(lane, epoch);
    if (batch.empty()) return;
    std::vector<ImageRequest> requests;
    for (const QueuedImage& waiting : batch) requests.push_back(waiting.request);
    try {
      // A worker that cancel() killed between two jobs must not count as a death of the next job.
      if (was_interrupted(lane)) lane.worker->restart();
      if (is_abandoned(epoch)) continue;
      std::vector<LaneOutcome> outcomes = compile(*lane.worker, requests, epoch);
      for (std::size_t i = 0; i < batch.size(); ++i) deliver(batch[i], std::move(outcomes[i]), epoch);
    } catch (...) {
      Result result;
      result.ticket = batch.front().ticket;
      result.error = std::current_exception();
      const std::lock_guard lock(mutex_);
      if (epoch == epoch_) deliver_(std::move(result));
    }
  }
}

void CompileLanes::deliver(const QueuedImage& waiting, LaneOutcome outcome, std::uint64_t epoch) {
  // Delivers under the mutex, so that no cancelled result is delivered after cancel().
  const std::lock_guard lock(mutex_);
  if (epoch != epoch_) return;
  Result result;
  result.ticket = waiting.ticket;
  result.deaths = outcome.deaths;
  CompileAnswer compiled;
  compiled.outcomes.push_back(std::move(outcome.compiled));
  result.answer = std::move(compiled);
  deliver_(std::move(result));
}

TimeLimit CompileLanes::deadline(std::size_t images) const {
  if (user_seconds_) return *user_seconds_ * static_cast<double>(images);
  const std::lock_guard lock(mutex_);
  double one = default_compile_limit_seconds;
  if (seconds_.size() >= known_images) {
    std::vector<double> sorted = seconds_;
    const auto nine_of_ten = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() * 9 / 10);
    std::nth_element(sorted.begin(), nine_of_ten, sorted.end());
    one = std::clamp(limit_factor * *nine_of_ten, least_seconds, default_compile_limit_seconds);
  }
  return {one * static_cast<double>(images), true};
}

void CompileLanes::learn(const std::vector<ImageRequest>& requests, const std::vector<CompileOutcome>& outcomes) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].image) continue;
    if (!known_good_) known_good_ = requests[i];
    if (seconds_.size() == most_known_images) seconds_.erase(seconds_.begin());
    seconds_.push_back(outcomes[i].milliseconds * 1e-3);
  }
}

// Has the worker compile a batch, and tries again when workers die before they begin it. The reply to a batch that was
// abandoned meanwhile has no meaning.
Receipt CompileLanes::ask(Transport& worker, const std::vector<ImageRequest>& requests, int attempt,
                          std::uint64_t epoch) {
  Receipt received{Receipt::End::died, {}, "abandoned"};
  bool begun = false;
  for (int in_vain = 0; !begun && in_vain <= most_in_vain && !is_abandoned(epoch); ++in_vain)
    received = answer_of(worker, Compile{requests, attempt}, deadline(requests.size()), begun);
  if (received.end != Receipt::End::replied) return received;
  if (const auto* failure = std::get_if<Failure>(&received.reply.answer)) throw Error(failure->text);
  const auto* compiled = std::get_if<CompileAnswer>(&received.reply.answer);
  if (compiled != nullptr && compiled->outcomes.size() == requests.size()) {
    learn(requests, compiled->outcomes);
    return received;
  }
  worker.restart();
  return {Receipt::End::died, {}, "gave another answer than was asked for"};
}

std::vector<CompileLanes::LaneOutcome> CompileLanes::compile(Transport& worker,
                                                             const std::vector<ImageRequest>& requests,
                                                             std::uint64_t epoch) {
  std::vector<LaneOutcome> outcomes;
  Receipt received = ask(worker, requests, 1, epoch);
  if (received.end == Receipt::End::replied) {
    for (CompileOutcome& outcome : outcomes_of(received)) {
      const ImageRequest& request = requests[outcomes.size()];
      if (!may_be_the_environments(outcome.verdict) || is_abandoned(epoch)) {
        outcomes.push_back({std::move(outcome), 0});
        continue;
      }
      restart_and_check(worker, outcome.log, epoch);
      outcomes.push_back(compile_alone(worker, request, 1, epoch));
    }
    return outcomes;
  }
  if (is_abandoned(epoch)) return std::vector<LaneOutcome>(requests.size());
  // The worker died of one of several images. Compiling each alone finds which one.
  const int deaths = requests.size() == 1 ? 1 : 0;
  if (deaths == 1) restart_and_check(worker, received.why, epoch);
  for (const ImageRequest& request : requests) outcomes.push_back(compile_alone(worker, request, deaths, epoch));
  return outcomes;
}

CompileLanes::LaneOutcome CompileLanes::compile_alone(Transport& worker, const ImageRequest& request, int deaths,
                                                      std::uint64_t epoch) {
  for (;;) {
    if (is_abandoned(epoch)) return {};
    Receipt received = ask(worker, {request}, deaths + 1, epoch);
    const bool has_replied = received.end == Receipt::End::replied;
    CompileOutcome outcome = has_replied ? std::move(outcomes_of(received).front()) : death_of(received);
    if (is_abandoned(epoch) || !may_be_the_environments(outcome.verdict)) return {std::move(outcome), deaths};
    restart_and_check(worker, has_replied ? outcome.log : received.why, epoch);
    if (++deaths < deaths_to_verdict) continue;
    if (received.end == Receipt::End::died && is_ended_by_processor_limit(received.signal, received.processor_seconds))
      throw Error("two compile workers were ended by signal " + std::to_string(received.signal) + ": " +
                  processor_limit_advice());
    return {std::move(outcome), deaths};
  }
}

// Compiles a known-good image, in a fresh worker where the present one is gone. Throws Error if that fails twice: then
// the environment is at fault.
void CompileLanes::restart_and_check(Transport& worker, const std::string& why, std::uint64_t epoch) {
  std::optional<ImageRequest> known_good;
  {
    const std::lock_guard lock(mutex_);
    known_good = known_good_;
  }
  if (!known_good) return;
  for (int attempt = 1; attempt <= 2; ++attempt) {
    Receipt received = ask(worker, {*known_good}, attempt, epoch);
    if (is_abandoned(epoch)) return;
    if (received.end == Receipt::End::replied && outcomes_of(received).front().image) return;
  }
  throw Error(
      fmt::format("the compiler fails now, in fresh processes too, for what it compiled before ({}): the machine "
                  "or its compiler is at fault, and no configuration is blamed. Put it right, then run the same "
                  "command to go on",
                  why));
}

}  // namespace attune
