#include "worker/compile_processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "attune/error.hpp"
#include "worker/limits.hpp"

namespace attune {
namespace {

// The first compiles of a worker make precompiled headers and are waited for kCompileLimitSeconds; once so many images
// are known, a factor of what nine of ten of them took is enough, within bounds.
constexpr double kLeastSeconds = 20, kFactor = 10;
constexpr std::size_t kKnownImages = 20;
constexpr double kOpenSeconds = 60;

CompileOutcome death_of(const Heard& heard) {
  CompileOutcome outcome;
  const bool late = heard.end == Heard::End::timed_out;
  outcome.verdict = late ? Verdict::compile_timeout : Verdict::compile_crash;
  outcome.log = (late ? "the compiler did not end, twice: " : "the compiler died, twice: ") + heard.why;
  return outcome;
}

}  // namespace

CompileProcesses::CompileProcesses(Start start) : start_(std::move(start)), limit_(compile_limit_seconds()) {
  std::unique_ptr<Transport> worker = start_();
  const Heard heard = worker->ask(OpenCompiler{}, kOpenSeconds);
  if (heard.end != Heard::End::replied) throw Error("the compile worker does not start: " + heard.why);
  if (const auto* failure = std::get_if<Failure>(&heard.reply.answer)) throw Error(failure->text);
  const auto* opened = std::get_if<CompilerOpened>(&heard.reply.answer);
  if (opened == nullptr) throw Error("the compile worker gave another answer than was asked for");
  opened_ = *opened;
  opened_.preferred_batch = std::clamp<std::uint64_t>(opened_.preferred_batch, 1, 1024);
  idle_.push_back(std::move(worker));
}

CompileProcesses::Lease::Lease(CompileProcesses& owner) : owner_(owner) {
  const std::lock_guard lock(owner_.mutex_);
  epoch_ = owner_.epoch_;
  if (owner_.idle_.empty()) {
    worker_ = owner_.start_();
  } else {
    worker_ = std::move(owner_.idle_.back());
    owner_.idle_.pop_back();
  }
  owner_.busy_.push_back(worker_.get());
}

CompileProcesses::Lease::~Lease() {
  const std::lock_guard lock(owner_.mutex_);
  std::erase(owner_.busy_, worker_.get());
  owner_.idle_.push_back(std::move(worker_));
}

bool CompileProcesses::Lease::abandoned() const {
  const std::lock_guard lock(owner_.mutex_);
  return epoch_ != owner_.epoch_;
}

void CompileProcesses::abandon() noexcept {
  const std::lock_guard lock(mutex_);
  ++epoch_;
  for (Transport* const worker : busy_) worker->interrupt();
}

int CompileProcesses::started() const {
  const std::lock_guard lock(mutex_);
  int sum = 0;
  for (const auto& worker : idle_) sum += worker->started();
  return sum;
}

double CompileProcesses::deadline(std::size_t images) const {
  if (limit_) return *limit_ * static_cast<double>(images);
  const std::lock_guard lock(mutex_);
  double one = kCompileLimitSeconds;
  if (seconds_.size() >= kKnownImages) {
    std::vector<double> sorted = seconds_;
    const auto nine_of_ten = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() * 9 / 10);
    std::nth_element(sorted.begin(), nine_of_ten, sorted.end());
    one = std::clamp(kFactor * *nine_of_ten, kLeastSeconds, kCompileLimitSeconds);
  }
  return one * static_cast<double>(images);
}

void CompileProcesses::learn(std::span<const ImageRequest> requests, const std::vector<CompileOutcome>& outcomes) {
  constexpr std::size_t most = 256;
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].image) continue;
    if (!anchor_) anchor_ = requests[i];
    if (seconds_.size() == most) seconds_.erase(seconds_.begin());
    seconds_.push_back(outcomes[i].milliseconds * 1e-3);
  }
}

Heard CompileProcesses::ask(Transport& worker, std::span<const ImageRequest> requests, int attempt) {
  Heard heard = worker.ask(CompileImages{attempt, {requests.begin(), requests.end()}}, deadline(requests.size()));
  if (heard.end != Heard::End::replied) return heard;
  if (const auto* failure = std::get_if<Failure>(&heard.reply.answer)) throw Error(failure->text);
  const auto* compiled = std::get_if<ImagesCompiled>(&heard.reply.answer);
  if (compiled != nullptr && compiled->outcomes.size() == requests.size()) {
    learn(requests, compiled->outcomes);
    return heard;
  }
  worker.restart();
  return {Heard::End::died, {}, "gave another answer than was asked for"};
}

std::vector<CompileOutcome> CompileProcesses::compile(std::span<const ImageRequest> requests) {
  const Lease lease(*this);
  Heard heard = ask(lease.worker(), requests, 1);
  if (heard.end == Heard::End::replied) return std::move(std::get<ImagesCompiled>(heard.reply.answer).outcomes);
  if (lease.abandoned()) return std::vector<CompileOutcome>(requests.size(), death_of(heard));
  // Who of several it was is found by asking for each alone.
  const int deaths = requests.size() == 1 ? 1 : 0;
  if (deaths == 1) check_environment(lease.worker(), heard);
  std::vector<CompileOutcome> outcomes;
  for (const ImageRequest& request : requests) outcomes.push_back(compile_alone(lease, request, deaths));
  return outcomes;
}

CompileOutcome CompileProcesses::compile_alone(const Lease& lease, const ImageRequest& request, int deaths) {
  for (;;) {
    Heard heard = ask(lease.worker(), std::span(&request, 1), deaths + 1);
    if (heard.end == Heard::End::replied)
      return std::move(std::get<ImagesCompiled>(heard.reply.answer).outcomes.front());
    if (lease.abandoned()) return death_of(heard);
    check_environment(lease.worker(), heard);
    if (++deaths == 2) return death_of(heard);
  }
}

// What compiled before compiles in a fresh worker, once in two attempts at least: else nothing would.
void CompileProcesses::check_environment(Transport& worker, const Heard& death) {
  std::optional<ImageRequest> anchor;
  {
    const std::lock_guard lock(mutex_);
    anchor = anchor_;
  }
  if (!anchor) return;
  for (int attempt = 1; attempt <= 2; ++attempt) {
    const Heard heard = ask(worker, std::span(&*anchor, 1), attempt);
    if (heard.end == Heard::End::replied && std::get<ImagesCompiled>(heard.reply.answer).outcomes.front().image) return;
  }
  throw Error(
      fmt::format("the compiler fails now, in fresh processes too, for what it compiled before ({}): the machine "
                  "or its compiler is at fault, and no configuration is blamed. Put it right, then run the same "
                  "command to go on",
                  death.why));
}

}  // namespace attune
