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
#include "measure/screen.hpp"
#include "worker/trial_setup.hpp"

namespace attune {

constexpr std::uint32_t kMessageVersion = 3;

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
struct FillWithSamples {  // until the next request is there
  std::uint64_t candidate = 0;
  SamplePlan plan;
};
struct RecheckCandidate {
  std::uint64_t candidate = 0;
};
struct WarmUpCandidate {
  std::uint64_t candidate = 0;
  double milliseconds = 0;
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

using Request = std::variant<OpenDevice, BeginProblem, LoadTrial, CheckCandidate, SampleCandidate, FillWithSamples,
                             RecheckCandidate, WarmUpCandidate, ReleaseCandidate, OpenCompiler, CompileImages>;

struct Failure {
  enum class Kind : std::uint8_t { error, out_of_memory, usage } kind = Kind::error;
  std::string text;
};
struct DeviceOpened {
  DeviceInfo info;
  bool own_clock = false;          // the device's seconds are not this machine's
  std::vector<std::string> users;  // other processes on the device, as far as one may know
};
struct Done {};
struct TrialOutcome {  // of BeginProblem, LoadTrial, CheckCandidate, RecheckCandidate, WarmUpCandidate
  Status status;
  double max_error = 0;
  std::uint64_t free_bytes = 0;  // of the device's memory
};
struct Sampled {  // of SampleCandidate, FillWithSamples
  Status status;
  std::vector<double> samples_ns;  // those before one that failed
};
struct CompilerOpened {
  std::string toolchain;
  std::uint64_t preferred_batch = 1;
  bool disturbs_timing = false;
};
struct ImagesCompiled {
  std::vector<CompileOutcome> outcomes;
};

using Answer = std::variant<Failure, DeviceOpened, Done, TrialOutcome, Sampled, CompilerOpened, ImagesCompiled>;

// An answer with the device's clock when it was given, and how long the worker was at it, reading included, by a real
// clock: set by whoever hands requests to a server.
struct Reply {
  double seconds = 0;
  double worked_seconds = 0;
  Answer answer;
};

std::vector<std::byte> encode(const Request& request);
std::vector<std::byte> encode(const Reply& reply);
// Nothing for bytes that are damaged, of another version, or hold a value that cannot be.
std::optional<Request> decode_request(std::span<const std::byte> bytes);
std::optional<Reply> decode_reply(std::span<const std::byte> bytes);

}  // namespace attune
