// The fields of every message, in the order of docs/formats/worker_messages.md.
#include "worker/messages/messages.hpp"

#include <concepts>

#include "worker/messages/archive.hpp"

namespace attune {

// The functions below serve both archives: one gives them a const struct, the other one to fill.
template <typename T, typename Struct>
concept Is = std::same_as<std::remove_const_t<T>, Struct>;

void fields(auto& a, Is<LaunchShape> auto& x) { a(x.grid, x.block, x.shared_bytes); }

void fields(auto& a, Is<ResolvedStep> auto& x) {
  a.choice(x.kind, StepKind::memset);
  a(x.expression, x.shape, x.arguments, x.memset_argument, x.memset_value);
}

void fields(auto& a, Is<Fill> auto& x) {
  a.choice(x.kind, FillKind::permutation);
  a(x.a, x.b, x.integer_a, x.integer_b, x.full_range);
}

void fields(auto& a, Is<Tolerance> auto& x) { a(x.absolute, x.relative, x.allow_nonfinite); }

void fields(auto& a, Is<ArgumentSetup> auto& x) {
  a(x.name, x.type);
  a.choice(x.role, Role::scalar);
  a(x.restore, x.count, x.bytes, x.fill, x.tolerance);
}

void fields(auto& a, Is<StepsSetup> auto& x) { a(x.steps, x.image, x.bytes, x.scalars); }

void fields(auto& a, Is<TrialSetup> auto& x) {
  a(x.kernel, x.problem, x.arguments, x.prepare, x.reference, x.self_checked, x.seed);
}

void fields(auto& a, Is<TrialLaunch> auto& x) { a(x.configuration, x.attempt, x.steps); }

void fields(auto& a, Is<Header> auto& x) { a(x.name, x.text); }

void fields(auto& a, Is<SourceText> auto& x) { a(x.name, x.text, x.headers); }

void fields(auto& a, Is<ImageRequest> auto& x) { a(x.source, x.expressions, x.options, x.architecture); }

void fields(auto& a, Is<CompileOutcome> auto& x) {
  a.choice(x.verdict, Verdict::quarantined);
  a(x.log, x.image, x.milliseconds);
}

void fields(auto& a, Is<Status> auto& x) {
  a.choice(x.verdict, Verdict::quarantined);
  a(x.detail, x.sticky);
}

void fields(auto& a, Is<DeviceInfo> auto& x) {
  a(x.kind, x.name, x.compute_capability, x.multiprocessors, x.memory_bytes, x.memory_bus_bits, x.l2_bytes,
    x.mig_profile, x.warp_size, x.max_threads_per_block, x.max_threads_per_multiprocessor, x.max_block, x.max_grid,
    x.shared_static_limit, x.shared_per_block, x.shared_per_multiprocessor, x.registers_per_block,
    x.registers_per_multiprocessor, x.ordinal, x.uuid, x.driver, x.driver_cuda_version, x.clock_khz, x.power_limit_mw);
}

void fields(auto&, Is<OpenDevice> auto&) {}
void fields(auto& a, Is<BeginProblem> auto& x) { a(x.setup); }
void fields(auto& a, Is<SamplePlan> auto& x) {
  a(x.count, x.stop_above_ns);
  a.choice(x.regime, Regime::warm);
  a(x.batch);
}
void fields(auto& a, Is<LoadTrial> auto& x) { a(x.candidate, x.launch); }
void fields(auto& a, Is<CheckCandidate> auto& x) { a(x.candidate); }
void fields(auto& a, Is<SampleCandidate> auto& x) { a(x.candidate, x.plan); }
void fields(auto& a, Is<SampleInTurn> auto& x) { a(x.candidates, x.plan); }
void fields(auto& a, Is<FillWithSamples> auto& x) { a(x.candidate, x.plan); }
void fields(auto& a, Is<RecheckCandidate> auto& x) { a(x.candidate, x.repeats); }
void fields(auto& a, Is<WarmUpPlan> auto& x) { a(x.milliseconds, x.most_milliseconds, x.clock_ratio); }
void fields(auto& a, Is<WarmUpCandidate> auto& x) { a(x.candidate, x.plan); }
void fields(auto& a, Is<MeterCandidate> auto& x) { a(x.candidate, x.plan, x.warm_seconds, x.seconds); }
void fields(auto& a, Is<ReleaseCandidate> auto& x) { a(x.candidate); }
void fields(auto&, Is<OpenCompiler> auto&) {}
void fields(auto& a, Is<CompileImages> auto& x) { a(x.attempt, x.requests); }

void fields(auto& a, Is<Failure> auto& x) {
  a.choice(x.kind, Failure::Kind::usage);
  a(x.text);
}
void fields(auto& a, Is<DeviceState> auto& x) {
  a(x.sm_clock_mhz, x.memory_clock_mhz, x.temperature_c, x.power_w, x.energy_j, x.throttle);
}
void fields(auto& a, Is<Watched> auto& x) { a(x.states, x.users); }
void fields(auto& a, Is<Numerics> auto& x) { a(x.max_absolute, x.max_relative, x.max_ulp); }
void fields(auto& a, Is<LaunchEnergy> auto& x) { a(x.joules, x.error, x.seconds, x.steps, x.launches); }

void fields(auto& a, Is<DeviceOpened> auto& x) { a(x.info, x.own_clock, x.tells_energy, x.users); }
void fields(auto&, Is<Done> auto&) {}
void fields(auto& a, Is<TrialOutcome> auto& x) { a(x.status, x.numerics, x.deterministic, x.free_bytes); }
void fields(auto& a, Is<Sampled> auto& x) { a(x.status, x.samples_ns); }
void fields(auto& a, Is<MeteredEnergy> auto& x) { a(x.status, x.energy); }
void fields(auto& a, Is<CompilerOpened> auto& x) { a(x.toolchain, x.preferred_batch, x.disturbs_timing); }
void fields(auto& a, Is<ImagesCompiled> auto& x) { a(x.outcomes); }

namespace {

template <typename Variant>
void write_variant(WriteArchive& archive, const Variant& value) {
  archive(static_cast<std::uint8_t>(value.index()));
  std::visit([&](const auto& held) { archive(held); }, value);
}

// Reads alternative `number`, which the archive named.
template <typename Variant, std::size_t I = 0>
bool read_variant(ReadArchive& archive, std::size_t number, Variant& value) {
  if constexpr (I == std::variant_size_v<Variant>) {
    return false;
  } else {
    if (number != I) return read_variant<Variant, I + 1>(archive, number, value);
    archive(value.template emplace<I>());
    return archive.complete();
  }
}

template <typename Variant>
bool read_variant(ReadArchive& archive, Variant& value) {
  std::uint8_t number = 0;
  archive(number);
  return read_variant<Variant, 0>(archive, number, value);
}

// An outcome with an image has no other verdict than ok, and the reverse.
bool consistent(const ImagesCompiled& compiled) {
  for (const CompileOutcome& outcome : compiled.outcomes)
    if (outcome.image.has_value() != (outcome.verdict == Verdict::ok)) return false;
  return true;
}

// What went well leaves no device beyond use.
bool consistent(const Status& status) { return !status.ok() || !status.sticky; }

}  // namespace

std::vector<std::byte> encode(const Request& request) {
  WriteArchive archive;
  archive(kMessageVersion);
  write_variant(archive, request);
  return archive.take();
}

std::vector<std::byte> encode(const Reply& reply) {
  WriteArchive archive;
  archive(kMessageVersion, reply.seconds, reply.worked_seconds, reply.watched);
  write_variant(archive, reply.answer);
  return archive.take();
}

std::optional<Request> decode_request(std::span<const std::byte> bytes) {
  ReadArchive archive(bytes);
  std::uint32_t version = 0;
  archive(version);
  Request request;
  if (version != kMessageVersion || !read_variant(archive, request)) return std::nullopt;
  return request;
}

std::optional<Reply> decode_reply(std::span<const std::byte> bytes) {
  ReadArchive archive(bytes);
  std::uint32_t version = 0;
  Reply reply;
  archive(version, reply.seconds, reply.worked_seconds, reply.watched);
  if (version != kMessageVersion || !read_variant(archive, reply.answer)) return std::nullopt;
  if (const auto* compiled = std::get_if<ImagesCompiled>(&reply.answer); compiled && !consistent(*compiled))
    return std::nullopt;
  if (const auto* outcome = std::get_if<TrialOutcome>(&reply.answer); outcome && !consistent(outcome->status))
    return std::nullopt;
  if (const auto* sampled = std::get_if<Sampled>(&reply.answer); sampled && !consistent(sampled->status))
    return std::nullopt;
  if (const auto* metered = std::get_if<MeteredEnergy>(&reply.answer); metered && !consistent(metered->status))
    return std::nullopt;
  return reply;
}

}  // namespace attune
