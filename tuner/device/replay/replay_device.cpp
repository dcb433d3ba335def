#include "device/replay/replay_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <unordered_map>

#include "attune/search_space.hpp"
#include "device/replay/disturbance.hpp"
#include "device/replay/replay_entry.hpp"

namespace attune {
namespace {

// A recording with its trials by the expression of their entry. Read-only, so that the compiler may share it.
struct Index {
  Recording recording;
  std::unordered_map<std::string, std::size_t> trials;

  explicit Index(Recording from) : recording(std::move(from)) {
    const ReplayExpressions expressions(recording);
    trials.reserve(recording.trials.size());
    for (std::size_t i = 0; i < recording.trials.size(); ++i) {
      const auto [found, is_new] = trials.try_emplace(expressions.of(recording.trials[i]), i);
      if (is_new) continue;
      throw UsageError(fmt::format("{}: the configurations {} and {} are equal in C++: {}; rename a value",
                                   recording.source, configuration_of(recording, recording.trials[i]).text(),
                                   configuration_of(recording, recording.trials[found->second]).text(), found->first));
    }
  }
};

class ReplayCompiler final : public Compiler {
 public:
  ReplayCompiler(std::shared_ptr<const Index> index, std::string architecture)
      : index_(std::move(index)), architecture_(std::move(architecture)) {}

  std::vector<CompileOutcome> compile(std::span<const ImageRequest> requests) override {
    std::vector<CompileOutcome> outcomes;
    for (const ImageRequest& request : requests) outcomes.push_back(compile_one(request));
    return outcomes;
  }
  std::size_t preferred_batch() const noexcept override { return 1; }
  std::string toolchain() override { return "replay"; }
  bool disturbs_timing() const noexcept override { return false; }

 private:
  CompileOutcome compile_one(const ImageRequest& request) const {
    CompileOutcome outcome;
    Image image;
    image.architecture = architecture_;
    image.toolchain = "replay";
    image.code = std::make_shared<const std::vector<std::byte>>();
    for (const std::string& expression : request.expressions) {
      image.functions.push_back({expression, expression, {}});
      const auto found = index_->trials.find(expression);
      if (found != index_->trials.end()) {
        outcome.milliseconds += 1e3 * index_->recording.trials[found->second].compile_s;
      } else if (expression != replay_reference) {
        outcome.verdict = Verdict::compile_error;
        outcome.log = index_->recording.source + " has no row for " + expression;
        return outcome;
      }
    }
    outcome.image = std::move(image);
    return outcome;
  }

  std::shared_ptr<const Index> index_;
  std::string architecture_;
};

// The state of one configuration. The reference has no trial.
struct Replayed {
  const RecordedTrial* trial = nullptr;
  bool loaded = false;
  bool failed_launch = false;
  std::size_t next_sample = 0;
};

class ReplayModule final : public Module {
 public:
  explicit ReplayModule(Replayed& replayed) : replayed_(replayed) {}
  FunctionHandle function(std::string_view, const LaunchShape&, Status&) override { return &replayed_; }
  Variable variable(std::string_view, Status&) override { return {}; }

 private:
  Replayed& replayed_;
};

// Returns whether the failure comes before the first launch.
bool fails_to_load(Verdict verdict) {
  constexpr Verdict early[] = {Verdict::restricted,    Verdict::compile_error, Verdict::compile_timeout,
                               Verdict::compile_crash, Verdict::resources,     Verdict::load_error};
  return std::find(std::begin(early), std::end(early), verdict) != std::end(early);
}

DeviceInfo info_of(const Recording& recording) {
  DeviceInfo info;
  info.kind = "replay";
  info.name = replay_device_name(recording);
  info.driver = recording.source;
  return info;
}

[[noreturn]] void refuse_memory() {
  throw Error("the replay device has no memory: it runs recorded kernels alone, which have no arguments");
}

class ReplayDevice final : public Device {
 public:
  ReplayDevice(Recording recording, ReplayOptions options)
      : index_(std::make_shared<const Index>(std::move(recording))),
        info_(info_of(index_->recording)),
        options_(options),
        random_(options.seed),
        disturbance_(options.seed, options.disturbance.value_or(DisturbanceModel{})),
        replayed_(index_->recording.trials.size()) {
    for (std::size_t i = 0; i < replayed_.size(); ++i) replayed_[i].trial = &index_->recording.trials[i];
  }

  const DeviceInfo& info() const noexcept override { return info_; }
  double seconds() const override { return now_; }
  bool has_own_clock() const noexcept override { return true; }
  std::shared_ptr<Compiler> compiler() override {
    return std::make_shared<ReplayCompiler>(index_, info_.architecture());
  }

  void* allocate(std::size_t) override { refuse_memory(); }
  void free(void*) noexcept override {}
  std::uint64_t free_memory() override { return 0; }
  void copy_in(void*, const void*, std::size_t, StreamHandle) override { refuse_memory(); }
  void copy_out(void*, const void*, std::size_t, StreamHandle) override { refuse_memory(); }
  void generate(void*, std::string_view, std::uint64_t, const FillValues&, std::uint64_t) override { refuse_memory(); }
  std::vector<Found> inspect(std::span<const Inspection>) override { refuse_memory(); }
  StreamHandle make_stream() override { return nullptr; }
  void destroy_stream(StreamHandle) noexcept override {}
  Status synchronize(StreamHandle) override { return {}; }

  LoadOutcome load(const Image& image) override {
    const std::string& expression = image.functions.at(0).expression;
    const auto found = index_->trials.find(expression);
    if (found == index_->trials.end() && expression != replay_reference)
      return {{Verdict::load_error, "the image is of another recording: " + expression, false}, nullptr};
    Replayed& replayed = found == index_->trials.end() ? reference_ : replayed_[found->second];
    if (replayed.trial != nullptr) {
      const RecordedTrial& trial = *replayed.trial;
      if (!replayed.loaded) now_ += trial.compile_s + trial.framework_s + trial.search_s + trial.validation_s;
      replayed.loaded = true;
      disturbance_.load();
      if (fails_to_load(trial.verdict)) return {{trial.verdict, trial.detail, false}, nullptr};
    }
    return {{}, std::make_shared<ReplayModule>(replayed)};
  }

  Status enqueue(const Operation& operation, StreamHandle) override {
    if (operation.kind != Operation::Kind::launch) refuse_memory();
    Replayed& replayed = *static_cast<Replayed*>(operation.function);
    if (replayed.trial == nullptr) return {};
    if (replayed.trial->verdict == Verdict::ok) {
      now_ += replayed.trial->median_ns * 1e-9;
      return {};
    }
    if (!replayed.failed_launch) now_ += replayed.trial->launches_s;
    replayed.failed_launch = true;
    return {replayed.trial->verdict, replayed.trial->detail, false};
  }

  DeviceTimes take_samples(const Sampling& sampling) override {
    DeviceTimes samples;
    for (int i = 0; i < sampling.count && samples.status.ok(); ++i) take_sample(sampling, samples);
    return samples;
  }

 private:
  void take_sample(const Sampling& sampling, DeviceTimes& samples) {
    for (const Operation& operation : sampling.before)
      if (samples.status.ok()) samples.status = enqueue(operation, nullptr);
    double nanoseconds = 0;
    for (const Operation& operation : sampling.timed.front()) {
      if (operation.kind != Operation::Kind::launch) refuse_memory();
      Replayed& replayed = *static_cast<Replayed*>(operation.function);
      if (replayed.trial != nullptr && replayed.trial->verdict != Verdict::ok)
        samples.status = enqueue(operation, nullptr);
      if (!samples.status.ok()) return;
      nanoseconds += next_sample_ns(replayed);
    }
    now_ += nanoseconds * 1e-9 * sampling.batch;
    samples.nanoseconds.push_back(nanoseconds);
  }

  double next_sample_ns(Replayed& replayed) {
    if (replayed.trial == nullptr) return 0;
    const double recorded = recorded_sample_ns(replayed);
    return options_.disturbance ? disturbance_.measured(recorded) : recorded;
  }

  double recorded_sample_ns(Replayed& replayed) {
    const std::vector<double>& samples = replayed.trial->samples_ns;
    if (samples.empty()) return replayed.trial->median_ns;
    if (options_.noise) return samples[static_cast<std::size_t>(uniform_below(samples.size(), random_))];
    return samples[replayed.next_sample++ % samples.size()];
  }

  std::shared_ptr<const Index> index_;
  DeviceInfo info_;
  ReplayOptions options_;
  std::mt19937_64 random_;
  Disturbance disturbance_;
  std::vector<Replayed> replayed_;  // in the order of the recording; functions point to its elements
  Replayed reference_;
  double now_ = 0;
};

}  // namespace

std::unique_ptr<Device> make_replay_device(Recording recording, ReplayOptions options) {
  return std::make_unique<ReplayDevice>(std::move(recording), options);
}

}  // namespace attune
