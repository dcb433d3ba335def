// Jobs: a coordinator's tasks for a worker, each a complete plain value, and the answers to them. A worker acknowledges
// a job when it begins the job (StartNotice). When the job is done, the worker gives one answer, or a Failure instead.
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

struct DeviceFacts;
struct BeginAnswer;
struct TryAnswer;
struct RoundsAnswer;
struct CheckAnswer;
struct MeterAnswer;
struct Acknowledgement;
struct CompilerFacts;
struct CompileAnswer;

// For a device worker. AnswerType: of the answer to the job.

struct OpenDevice {
  using AnswerType = DeviceFacts;
};

// Makes the data of a problem, and runs [[prepare]] and the reference. Drops the former problem.
struct Begin {
  using AnswerType = BeginAnswer;
  TrialSetup setup;
};

// Loads an instance, launches it, checks the result, and warms the device up. The instance stays loaded.
struct Load {
  using AnswerType = TryAnswer;
  InstanceLaunch launch;
  WarmUpPlan warm_up;  // 0 ms: no warm-up
};

// Loads an instance, checks it, takes samples, checks it again where it has scratch memory, and releases it.
struct Try {
  using AnswerType = TryAnswer;
  InstanceLaunch launch;
  TimingPlan plan;
};

// This number in the slots of Rounds means a copy of TimingPlan::copy_bytes within the device's memory. No instance has
// this number.
inline constexpr InstanceId device_copy = ~InstanceId{0};

// Takes one sample of a loaded instance for every slot, in this order. The samples are enqueued together where the
// device can do so.
struct Rounds {
  using AnswerType = RoundsAnswer;
  std::vector<InstanceId> slots;  // loaded instances, and device_copy
  TimingPlan plan;                // the regime, the batch, the steps, the bytes of device_copy
};

// Checks a loaded instance once more, after its samples.
struct CheckAgain {
  using AnswerType = CheckAnswer;
  InstanceId instance = 0;
  bool repeats = false;  // also launches it twice more, to find out whether both results are equal bit for bit
};

// Launches a loaded instance for some time while the device's energy counter is read.
struct Meter {
  using AnswerType = MeterAnswer;
  InstanceId instance = 0;
  TimingPlan plan;          // the regime, and the batch of one sample
  double warm_seconds = 0;  // how long it is launched before the counter's window
  double seconds = 0;       // the length of the window
};

// Releases an instance. It is no error if the instance is not loaded.
struct Release {
  using AnswerType = Acknowledgement;
  InstanceId instance = 0;
};

using DeviceJob = std::variant<OpenDevice, Begin, Load, Try, Rounds, CheckAgain, Meter, Release>;

// For a compile worker.

struct OpenCompiler {
  using AnswerType = CompilerFacts;
};

struct Compile {
  using AnswerType = CompileAnswer;
  std::vector<ImageRequest> requests;
  int attempt = 1;
};

// A job for a worker of either kind.
using Job = std::variant<OpenDevice, Begin, Load, Try, Rounds, CheckAgain, Meter, Release, OpenCompiler, Compile>;

// Answers.

// The worker begins a job. For Begin it is sent once more, when the data are there and the reference begins.
struct StartNotice {};

// The environment is at fault. A Failure says nothing about the instance of the job.
struct Failure {
  enum class Kind : std::uint8_t { error, out_of_memory, usage, steps } kind = Kind::error;
  std::string text;
  Verdict verdict = Verdict::ok;  // of the steps that failed, if `kind` is steps
};

// Running [[prepare]] or the reference (or, without one, the default configuration) failed.
class StepsFailure : public Error {
 public:
  StepsFailure(const std::string& text, Verdict of_steps) : Error(text), verdict(of_steps) {}
  Verdict verdict;
};

struct DeviceFacts {
  DeviceInfo info;
  bool own_clock = false;  // the device's clock is not this machine's
  bool has_energy_counter = false;
  std::vector<std::string> users;  // other processes on the device, as far as visible
};

struct BeginAnswer {
  std::uint64_t free_bytes = 0;  // of the device's memory
};

// The status is the first failure.
struct TryAnswer {
  Status status;
  Numerics numerics;
  std::vector<double> samples_ns;  // the samples before a failure
  std::uint64_t free_bytes = 0;    // of the device's memory; 0: not known
};

struct RoundsAnswer {
  Status status;
  std::vector<double> samples_ns;  // one for each slot; perhaps fewer when the status is not ok
};

struct CheckAnswer {
  Status status;
  Numerics numerics;
  std::optional<bool> deterministic;  // set if CheckAgain::repeats, and the device had room for the comparison
};

struct MeterAnswer {
  Status status;
  std::optional<LaunchEnergy> energy;  // nothing if the counter took too few steps
};

struct Acknowledgement {};

struct CompilerFacts {
  std::string toolchain;
  std::uint64_t preferred_batch = 1;
  bool disturbs_timing = false;
};

struct CompileAnswer {
  std::vector<CompileOutcome> outcomes;  // one for each request
};

using Answer = std::variant<StartNotice, Failure, DeviceFacts, BeginAnswer, TryAnswer, RoundsAnswer, CheckAnswer,
                            MeterAnswer, Acknowledgement, CompilerFacts, CompileAnswer>;

// Returns the status of an answer that has one, else null.
const Status* status_of(const Answer& answer) noexcept;

// Returns an answer of the job's type, with nothing but this status if answers of that type have one.
Answer answer_with(const Job& job, Status status);

// Returns the instances that must be loaded for a job, in the order of its slots. device_copy is not among them.
std::vector<InstanceId> instances_of(const Job& job);

// Returns whether a job takes samples of more than one instance. device_copy counts as an instance here.
bool samples_several(const Job& job);

// Returns the launch of a Load or a Try, else null.
InstanceLaunch* launch_of(Job& job) noexcept;
const InstanceLaunch* launch_of(const Job& job) noexcept;

// Throws the exception that the worker failed with.
[[noreturn]] void throw_failure(const Failure& failure);

// An answer with what the worker observed.
struct Reply {
  double seconds = 0;         // the device's clock at the end of the job
  double worked_seconds = 0;  // the worker's time for the job by a real clock, with reading the job
  Answer answer;
  DeviceReadings watched = {};  // the observations of the device since the last answer
  std::string changed = {};     // what the job's kernels changed in the worker's process (process/worker_state.hpp)
};

}  // namespace attune
