// What coordinator and workers say to each other: docs/formats/worker_messages.md. A message is a request, with one
// answer, or a failure in its place. Plain values and their bytes; decoding is safe on any bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "attune/device_info.hpp"
#include "core/image.hpp"
#include "core/numerics.hpp"
#include "device/device_state.hpp"
#include "measure/energy.hpp"
#include "measure/screen.hpp"
#include "measure/warm_up.hpp"
#include "worker/trial_setup.hpp"

namespace attune {

constexpr std::uint32_t kMessageVersion = 6;

// To a device worker.
struct OpenDevice {};
struct BeginProblem {
  TrialSetup setup;
};
struct LoadTrial {              // launches nothing
  std::uint64_t candidate = 0;  // the coordinator's number for it
  TrialLaunch launch;
};
struct CheckCandidate {  // one that fails is released
  std::uint64_t candidate = 0;
};
struct SampleCandidate {
  std::uint64_t candidate = 0;
  SamplePlan plan;
};
struct SampleInTurn {  // one sample of each, in this order
  std::vector<std::uint64_t> candidates;
  SamplePlan plan;  // its regime and batch
};
struct FillWithSamples {  // until the next request is there
  std::uint64_t candidate = 0;
  SamplePlan plan;
};
struct RecheckCandidate {
  std::uint64_t candidate = 0;
  bool repeats = false;  // launched twice: are both results equal bit for bit?
};
struct WarmUpCandidate {
  std::uint64_t candidate = 0;
  WarmUpPlan plan;
};
struct MeterCandidate {  // launched for so long, while the energy counter is read
  std::uint64_t candidate = 0;
  SamplePlan plan;          // its regime; and of one sample, its batch
  double warm_seconds = 0;  // before the window
  double seconds = 0;       // the window
};
struct ReleaseCandidate {
  std::uint64_t candidate = 0;
};
// To a compile worker.
struct OpenCompiler {};
struct CompileImages {
  int attempt = 1;
  std::vector<ImageRequest> requests;
};

using Request =
    std::variant<OpenDevice, BeginProblem, LoadTrial, CheckCandidate, SampleCandidate, SampleInTurn, FillWithSamples,
                 RecheckCandidate, WarmUpCandidate, MeterCandidate, ReleaseCandidate, OpenCompiler, CompileImages>;

struct Failure {
  enum class Kind : std::uint8_t { error, out_of_memory, usage } kind = Kind::error;
  std::string text;
};
struct DeviceOpened {
  DeviceInfo info;
  bool own_clock = false;  // the device's seconds are not this machine's
  bool tells_energy = false;
  std::vector<std::string> users;  // other processes on the device, as far as one may know
};
struct Done {};
struct TrialOutcome {  // of BeginProblem, LoadTrial, CheckCandidate, RecheckCandidate, WarmUpCandidate
  Status status;
  Numerics numerics;
  std::optional<bool> deterministic;  // where it was asked for, and the device had room to find out
  std::uint64_t free_bytes = 0;       // of the device's memory
};
struct Sampled {  // of SampleCandidate, SampleInTurn, FillWithSamples
  Status status;
  std::vector<double> samples_ns;  // those before one that failed; in turn: some of them
};
struct MeteredEnergy {  // of MeterCandidate
  Status status;
  std::optional<LaunchEnergy> energy;  // nothing: the counter took too few steps
};
struct CompilerOpened {
  std::string toolchain;
  std::uint64_t preferred_batch = 1;
  bool disturbs_timing = false;
};
struct ImagesCompiled {
  std::vector<CompileOutcome> outcomes;
};

using Answer =
    std::variant<Failure, DeviceOpened, Done, TrialOutcome, Sampled, MeteredEnergy, CompilerOpened, ImagesCompiled>;

// An answer with the device's clock when it was given; how long the worker was at it, reading included, by a real
// clock: set by whoever hands requests to a server; and what was seen of the device since the last one.
struct Reply {
  double seconds = 0;
  double worked_seconds = 0;
  Answer answer;
  Watched watched = {};
};

std::vector<std::byte> encode(const Request& request);
std::vector<std::byte> encode(const Reply& reply);
// Nothing for bytes that are damaged, of another version, or hold a value that cannot be.
std::optional<Request> decode_request(std::span<const std::byte> bytes);
std::optional<Reply> decode_reply(std::span<const std::byte> bytes);

}  // namespace attune
