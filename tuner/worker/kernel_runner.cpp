#include "worker/kernel_runner.hpp"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <utility>

#include "attune/error.hpp"
#include "worker/peer_library.hpp"
#include "worker/sampling_loops.hpp"

namespace attune {
namespace {

// Adds the name of the step to the detail of its fault.
Status in_step(Status status, const std::string& step) {
  const bool is_named = status.detail.find(step) != std::string::npos;
  if (status.verdict == Verdict::fault && !is_named) status.detail = fmt::format("in {}: {}", step, status.detail);
  return status;
}

Status add_all(LoadedSteps& to, std::span<const ResolvedStep> steps) {
  Status status;
  for (std::size_t i = 0; i < steps.size() && status.ok(); ++i) status = to.add(steps[i]);
  return status;
}

}  // namespace

KernelRunner::KernelRunner(Device& device, DeviceInstruments& instruments, DataTools& tools, const TrialSetup& setup,
                           const std::function<void()>& reference_begins)
    : device_(device),
      instruments_(instruments),
      tools_(tools),
      name_(fmt::format("{} for {}", setup.kernel, setup.problem)),
      data_(device, tools, setup) {
  data_.reset();
  if (setup.prepare) {
    run_once(*setup.prepare, "[[prepare]]");
    data_.adopt_prepared();
    data_.reset();
  }
  const std::string step =
      setup.self_checked ? "the default configuration (there is no [[reference]])" : "[[reference]]";
  const std::string source = setup.self_checked ? "the default configuration" : "the reference";
  if (reference_begins) reference_begins();
  run_once(setup.reference, step);
  data_.adopt_expected(source, [&] { run_once(setup.reference, step); });
}

Status KernelRunner::bind(const StepsSetup& setup, BoundSteps& bound) {
  LoadOutcome loaded;
  if (!setup.peer || !setup.steps.empty()) loaded = device_.load(setup.image);
  if (!loaded.status.ok()) return loaded.status;
  const auto steps = std::make_shared<LoadedSteps>(std::move(loaded.module), setup.arguments);
  PeerRoutines peer;
  if (setup.peer) {
    peer = make_peer_routines(*setup.peer, data_.arguments());
    steps->add(peer.work, setup.peer->name);
  }
  const std::span<const ResolvedStep> all(setup.steps);
  if (Status status = add_all(*steps, all.first(all.size() - setup.untimed)); !status.ok()) return status;
  bound.timed = steps->size();
  if (peer.finish) steps->add(peer.finish, setup.peer->name + ", its result");
  if (Status status = add_all(*steps, all.last(setup.untimed)); !status.ok()) return status;
  if (Status status = steps->find_symbols(); !status.ok()) return status;
  bound.loaded = steps;
  StepBinding& binding = bound.sets.emplace_back(steps);
  Status status;
  try {
    status = binding.make_scratch(device_, tools_);
  } catch (const OutOfMemory& error) {
    return {Verdict::out_of_memory, error.what(), false};
  }
  if (status.ok()) status = point(binding, 0);
  if (!status.ok()) return status;
  for (const Operation& upload : binding.uploads())
    if (status = device_.enqueue(upload, nullptr); !status.ok()) return status;
  return status;
}

// Points a binding to the arrays of one set of the data.
Status KernelRunner::point(StepBinding& binding, std::size_t set) const {
  for (std::size_t i = 0; i < data_.arguments().size(); ++i) {
    if (void* const memory = data_.array(i, set)) binding.set_array(i, memory);
    const std::span<const std::byte> values = data_.values(i);
    if (!values.empty()) std::memcpy(binding.slots()[i], values.data(), values.size());
  }
  const std::string* misaligned = nullptr;
  Status status = binding.aim_maps(device_, misaligned);
  if (status.ok() && misaligned != nullptr)
    status = {Verdict::launch_error,
              fmt::format("the address of `{}` is no multiple of {}: it has no tensor map", *misaligned,
                          tensor_array_alignment),
              false};
  return status;
}

Status KernelRunner::launch(BoundSteps& bound) {
  const std::span<const Operation> operations = bound.first().operations();
  for (std::size_t i = 0; i < operations.size(); ++i)
    if (Status status = device_.enqueue(operations[i], nullptr); !status.ok())
      return in_step(std::move(status), bound.loaded->name(i));
  Status status = device_.synchronize(nullptr);
  // A fault that shows at synchronizing cannot be blamed on one of several steps.
  return status.ok() || operations.size() != 1 ? status : in_step(std::move(status), bound.loaded->name(0));
}

void KernelRunner::run_once(const StepsSetup& steps, const std::string& what) {
  BoundSteps bound;
  Status status = bind(steps, bound);
  if (status.ok()) status = launch(bound);
  if (status.ok()) {
    Checks checks;
    data_.add_guards(checks);
    status = checks.run(tools_);
  }
  if (!status.ok())
    throw StepsFailure(fmt::format("{} of {} fails ({}): {}", what, name_, to_text(status.verdict), status.detail),
                       status.verdict);
}

Status KernelRunner::load(const InstanceLaunch& launch) {
  BoundSteps made;
  if (Status status = bind(launch.steps, made); !status.ok()) return status;
  loaded_.insert_or_assign(launch.instance, std::move(made));
  return {};
}

KernelRunner::BoundSteps& KernelRunner::bound(InstanceId instance) {
  const auto found = loaded_.find(instance);
  if (found == loaded_.end()) throw Error(fmt::format("there is no instance {} of {}", instance, name_));
  return found->second;
}

Status KernelRunner::check(InstanceId instance, Numerics& numerics) {
  BoundSteps& steps = bound(instance);
  Status status;
  for (std::size_t poisoning = 0; poisoning < data_.poisonings() && status.ok(); ++poisoning) {
    data_.reset(poisoning);
    status = launch_and_check(steps, numerics);
  }
  if (!status.ok()) release(instance);
  return status;
}

Status KernelRunner::launch_and_check(BoundSteps& steps, Numerics& numerics) {
  Status status = launch(steps);
  if (status.sticky) return status;
  Checks checks;
  data_.add_inputs(checks);  // also after a failure, so that the next configuration finds its inputs unchanged
  data_.add_guards(checks);
  data_.add_outputs(checks, numerics);
  steps.first().add_scratch(checks);
  Status found = checks.run(tools_);
  return status.ok() ? found : status;
}

Status KernelRunner::check_own() {
  Checks checks;
  data_.add_own(checks);  // first, so that a sticky failure is the one that is returned
  data_.add_inputs(checks);
  return checks.run(tools_);
}

// Returns the sampling of a plan, and makes the sets of data for it: those that it needs, and more where there is room.
SamplingPlan KernelRunner::planned(const TimingPlan& plan) {
  const auto with_room = [&](std::uint64_t sets) {
    return planned_sampling(plan, data_.restores().empty(), data_.set_bytes(), device_.info().l2_bytes, sets);
  };
  SamplingPlan planned = with_room(std::numeric_limits<std::uint64_t>::max());
  data_.make_sets(planned.sets);
  if (data_.sets() < planned.sets) planned = with_room(data_.sets());
  if (data_.sets() < planned.sets)
    throw OutOfMemory(
        fmt::format("a stream of {} needs {} sets of its data, of {} bytes each, and there is room for "
                    "{}; use --regime cold, or a smaller problem",
                    name_, planned.sets, data_.set_bytes(), data_.sets()));
  return planned;
}

Sampling KernelRunner::sampling_of(InstanceId instance, const TimingPlan& plan, Sets& sets) {
  BoundSteps& steps = bound(instance);
  auto [sampling, count] = planned(plan);
  sampling.before = data_.restores();
  for (std::size_t set = steps.sets.size(); set < count; ++set)
    if (const Status status = point(steps.sets.emplace_back(steps.first()), set); !status.ok())
      throw Error(fmt::format("{}: {}", name_, status.detail));  // set 0 worked: no fault of the instance
  sets.clear();
  for (std::size_t set = 0; set < count; ++set) sets.push_back(steps.sets[set].operations().first(steps.timed));
  const auto timed = static_cast<std::size_t>(plan.steps);
  if (timed > 0 && timed < sets.front().size()) {
    sampling.batch = 1;
    sampling.after = sets.front().subspan(timed);
    sets = {sets.front().first(timed)};
  }
  sampling.timed = sets;
  return sampling;
}

DeviceTimes KernelRunner::sample(InstanceId instance, const TimingPlan& plan) {
  Sets sets;
  Sampling sampling = sampling_of(instance, plan, sets);
  return sample_by_plan(plan, sampling.batch, [&](int count, int batch) {
    sampling.count = count;
    sampling.batch = batch;
    return instruments_.take_samples(sampling);
  });
}

DeviceCopy& KernelRunner::copy(std::uint64_t bytes) {
  if (!copy_ || copy_->bytes() != bytes) {
    copy_.reset();  // frees its memory first
    copy_ = std::make_unique<DeviceCopy>(device_, tools_, bytes);
  }
  return *copy_;
}

DeviceTimes KernelRunner::sample_in_turn(std::span<const InstanceId> slots, const TimingPlan& plan) {
  std::map<InstanceId, std::pair<Sets, Sampling>> known;  // so that the batch of an instance is recorded once
  std::vector<Sampling> samplings;
  for (const InstanceId instance : slots) {
    const auto [at, is_new] = known.try_emplace(instance);
    auto& [sets, sampling] = at->second;
    if (is_new)
      sampling =
          instance == device_copy ? copy(plan.copy_bytes).sampling(plan, sets) : sampling_of(instance, plan, sets);
    samplings.push_back(sampling);
  }
  return instruments_.take_samples_in_turn(samplings);
}

Status KernelRunner::check_again(InstanceId instance, Numerics& numerics) {
  BoundSteps& steps = bound(instance);
  data_.reset();
  Status status = launch_and_check(steps, numerics);
  if (!status.ok()) status.detail = "right when launched first, wrong when launched again: " + status.detail;
  return status;
}

Status KernelRunner::repeat(InstanceId instance, std::optional<bool>& deterministic) {
  BoundSteps& steps = bound(instance);
  const auto launch_afresh = [&] {
    data_.reset();
    return launch(steps);
  };
  Status status = launch_afresh();
  if (status.ok()) status = data_.compare_with_next(launch_afresh, deterministic);
  return status;
}

void KernelRunner::release(InstanceId instance) { loaded_.erase(instance); }

Status KernelRunner::warm_up(InstanceId instance, double milliseconds) {
  BoundSteps& steps = bound(instance);
  const double begin = instruments_.seconds();
  do {
    if (Status status = launch(steps); !status.ok()) return status;
  } while (instruments_.seconds() - begin < milliseconds * 1e-3);
  return {};
}

// Returns how to launch again and again: as a stream where there is room for its data, else on the same data each time.
Sampling KernelRunner::repeated(InstanceId instance, TimingPlan plan, Sets& sets) {
  Sampling sampling;
  try {
    sampling = sampling_of(instance, plan, sets);
  } catch (const OutOfMemory&) {
    plan.regime = Regime::warm;
    sampling = sampling_of(instance, plan, sets);
  }
  sampling.flush = false;
  return sampling;
}

// There are no flushes, so that the energy is that of the kernel and of the restores of its inputs alone.
Status KernelRunner::launch_for(InstanceId instance, const TimingPlan& plan, double seconds,
                                const std::function<void(const LaunchCount&)>& tell) {
  Sets sets;
  Sampling sampling = repeated(instance, plan, sets);
  const auto take = [&](int count) {
    sampling.count = count;
    return instruments_.take_samples(sampling);
  };
  return sample_for(seconds, instruments_, sampling.batch, take, tell);
}

namespace {

class KernelTestbed final : public Testbed {
 public:
  KernelTestbed(Device& device, std::unique_ptr<Device> owned)
      : owned_(std::move(owned)),
        device_(device),
        instruments_(open_instruments(device)),
        tools_(open_data_tools(device)) {}
  const DeviceInfo& info() const noexcept override { return device_.info(); }
  Instruments& instruments() noexcept override { return *instruments_; }
  std::unique_ptr<Runner> begin(const TrialSetup& setup, const std::function<void()>& reference_begins) override {
    return std::make_unique<KernelRunner>(device_, *instruments_, *tools_, setup, reference_begins);
  }

 private:
  const std::unique_ptr<Device> owned_;  // null: the device is another's
  Device& device_;
  const std::unique_ptr<DeviceInstruments> instruments_;
  const std::unique_ptr<DataTools> tools_;
};

}  // namespace

std::unique_ptr<Testbed> kernel_testbed(Device& device) { return std::make_unique<KernelTestbed>(device, nullptr); }

std::unique_ptr<Testbed> kernel_testbed(std::unique_ptr<Device> device) {
  Device& opened = *device;
  return std::make_unique<KernelTestbed>(opened, std::move(device));
}

}  // namespace attune
