// Jobs: a coordinator's tasks for a worker, each a complete plain value, and the answers. A worker acknowledges a job
// when it begins it (Started). It gives one answer when it is done, or a Failure instead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "attune/device_info.hpp"
#include "attune/error.hpp"
#include "core/image.hpp"
#include "core/numerics.hpp"
#include "core/verdict.hpp"
#include "device/device_state.hpp"
#include "measure/energy.hpp"
#include "measure/screen.hpp"
#include "measure/warm_up.hpp"
#include "worker/trial_setup.hpp"

namespace attune {

// For a device worker.

struct OpenDevice {};

// Makes the data of a problem, runs [[prepare]] and the reference. Drops the former problem.
struct Begin {
  TrialSetup setup;
};

// Loads an instance, launches it once, checks the result, warms the device up; it stays loaded.
struct Load {
  InstanceLaunch launch;
  WarmUpPlan warm_up;  // of 0 ms: none
};

// Loads an instance, checks it, takes samples, checks it again where it has scratch memory, and releases it.
struct Try {
  InstanceLaunch launch;
  TimingPlan plan;
};

// In the turns of Rounds: a copy of TimingPlan::copy_bytes within the device's memory. No instance has this number.
inline constexpr InstanceId device_copy = ~InstanceId{0};

// Takes one sample of a loaded instance for every turn, in this order, enqueued together where the device can.
struct Rounds {
  std::vector<InstanceId> turns;  // loaded instances, and device_copy
  TimingPlan plan;                // the regime, the batch, the steps, the bytes of device_copy
};

// Checks a loaded instance once more, after its samples.
struct CheckAgain {
  InstanceId instance = 0;
  bool repeats = false;  // launches it twice more: are both results equal bit for bit?
};

// Launches a loaded instance for so long while the device's energy counter is read.
struct Meter {
  InstanceId instance = 0;
  TimingPlan plan;          // the regime, and the batch of one sample
  double warm_seconds = 0;  // before the window
  double seconds = 0;       // the window
};

// Releases an instance; an instance that is not loaded is no error.
struct Release {
  InstanceId instance = 0;
};

using DeviceJob = std::variant<OpenDevice, Begin, Load, Try, Rounds, CheckAgain, Meter, Release>;

// For a compile worker.

struct OpenCompiler {};

struct Compile {
  std::vector<ImageRequest> requests;
  int attempt = 1;
};

// What is sent to a worker of either kind.
using Job = std::variant<OpenDevice, Begin, Load, Try, Rounds, CheckAgain, Meter, Release, OpenCompiler, Compile>;

// Answers.

// The worker begins a job; of Begin once more, when the data are there and the reference begins.
struct Started {};

// The environment is at fault: this means nothing for the instance.
struct Failure {
  enum class Kind : std::uint8_t { error, out_of_memory, usage, steps } kind = Kind::error;
  std::string text;
  Verdict verdict = Verdict::ok;  // of steps
};

// [[prepare]], the reference, or the default configuration in its place, does not run to its end.
class StepsFailed : public Error {
 public:
  StepsFailed(const std::string& text, Verdict of_steps) : Error(text), verdict(of_steps) {}
  Verdict verdict;
};

struct DeviceOpened {
  DeviceInfo info;
  bool own_clock = false;  // the device's clock is not this machine's
  bool has_energy_counter = false;
  std::vector<std::string> users;  // other processes on the device, as far as visible
};

struct Begun {
  std::uint64_t free_bytes = 0;  // of the device's memory
};

// Of Load and Try. The status is the first failure.
struct Tried {
  Status status;
  Numerics numerics;
  std::vector<double> samples_ns;  // the samples before a failure
  std::uint64_t free_bytes = 0;    // of the device's memory; 0: not known
};

// Of Rounds.
struct RoundsSampled {
  Status status;
  std::vector<double> samples_ns;  // one for each turn; some of them when the status is not ok
};

struct CheckedAgain {
  Status status;
  Numerics numerics;
  std::optional<bool> deterministic;  // if requested, and the device had room to find out
};

struct EnergyMeasured {
  Status status;
  std::optional<LaunchEnergy> energy;  // nothing: the counter took too few steps
};

struct Done {};

struct CompilerOpened {
  std::string toolchain;
  std::uint64_t preferred_batch = 1;
  bool disturbs_timing = false;
};

struct ImagesCompiled {
  std::vector<CompileOutcome> outcomes;  // one for each request
};

using Answer = std::variant<Started, Failure, DeviceOpened, Begun, Tried, RoundsSampled, CheckedAgain, EnergyMeasured,
                            Done, CompilerOpened, ImagesCompiled>;

// The status of an answer that has one, else null.
const Status* status_of(const Answer& answer) noexcept;

// Returns an answer of the kind of a job that launches, with nothing but a status.
Answer answer_with(const Job& job, Status status);

// Returns the instances that a job needs loaded, in the order of its turns: device_copy is none.
std::vector<InstanceId> instances_of(const Job& job);

// Returns whether a job takes samples of more than one instance; device_copy counts as another one.
bool samples_several(const Job& job);

// Returns the launch of a Load or a Try, else null.
const InstanceLaunch* launch_of(const Job& job) noexcept;

// Throws what the worker failed with.
[[noreturn]] void throw_failure(const Failure& failure);

// An answer with the device's clock at its end. It also has the worker's time for the job by a real clock, reading
// included. `watched` has the observations of the device since the last answer. `changed` says what the kernels of the
// job changed in their worker's process (process/worker_state.hpp).
struct Reply {
  double seconds = 0;
  double worked_seconds = 0;
  Answer answer;
  Watched watched = {};
  std::string changed = {};
};

}  // namespace attune
