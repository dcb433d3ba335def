// The fields of every message, in the order of docs/formats/worker_messages.md. One list serves for writing, for
// reading, and for tests that make values and count members.
#pragma once

#include "base/archive.hpp"
#include "core/device_fields.hpp"
#include "core/image.hpp"
#include "core/record_fields.hpp"
#include "core/source_fields.hpp"
#include "worker/jobs.hpp"

namespace attune {

inline void write_value(WriteArchive& a, const Image& image) { a.piece(image_payload(image)); }

inline Image read_value(ReadArchive& a, std::type_identity<Image>) {
  if (auto image = image_of_payload(a.piece())) return *std::move(image);
  a.fail();
  return {};
}

void fields(auto& a, Is<LaunchShape> auto& x) {
  a(x.grid, x.block, x.shared_bytes, x.cluster, x.overlaps, x.cooperative);
}

void fields(auto& a, Is<ResolvedStep> auto& x) {
  a.choice(x.kind, StepKind::memset);
  a(x.expression, x.shape, x.arguments, x.memset_argument, x.memset_value);
}

void fields(auto& a, Is<FillValues> auto& x) {
  a.choice(x.kind, FillKind::zipf);
  a(x.a, x.b, x.integer_a, x.integer_b, x.full_range);
}

void fields(auto& a, Is<Tolerance> auto& x) { a(x.absolute, x.relative, x.allow_nonfinite, x.differing); }

void fields(auto& a, Is<ArgumentSetup> auto& x) {
  a(x.name, x.type);
  a.choice(x.role, Role::map);
  a(x.restore, x.is_compared, x.is_mapped, x.by_value, x.count, x.bytes, x.fill, x.tolerance);
}

void fields(auto& a, Is<TensorLayout> auto& x) { a(x.element_bytes, x.shape, x.strides, x.box, x.swizzle); }

void fields(auto& a, Is<ResolvedMap> auto& x) { a(x.array, x.layout); }

void fields(auto& a, Is<StepArgument> auto& x) {
  a(x.name);
  a.choice(x.role, Role::map);
  a(x.bytes, x.value, x.symbol, x.map);
}

void fields(auto& a, Is<NamedText> auto& x) { a(x.name, x.text); }

void fields(auto& a, Is<PeerSetup> auto& x) { a(x.library, x.kernel, x.name, x.values); }

void fields(auto& a, Is<StepsSetup> auto& x) { a(x.steps, x.image, x.arguments, x.untimed, x.peer); }

void fields(auto& a, Is<TrialSetup> auto& x) {
  a(x.kernel, x.problem, x.arguments, x.prepare, x.reference, x.self_checked, x.seed);
}

void fields(auto& a, Is<InstanceLaunch> auto& x) { a(x.instance, x.configuration, x.attempt, x.steps); }

void fields(auto& a, Is<Macro> auto& x) { a(x.name, x.value); }

void fields(auto& a, Is<ImageRequest> auto& x) {
  a(x.source, x.macros, x.expressions, x.options, x.checks, x.architecture, x.waiting, x.ignores_host_code);
}

void fields(auto& a, Is<CompileOutcome> auto& x) {
  a.choice(x.verdict, Verdict::quarantined);
  a(x.log, x.image, x.milliseconds);
}

void fields(auto& a, Is<Status> auto& x) {
  a.choice(x.verdict, Verdict::quarantined);
  a(x.detail, x.sticky);
}

void fields(auto& a, Is<TimingPlan> auto& x) {
  a(x.count, x.most, x.error, x.scatter_ns, x.stop_above_ns);
  a.choice(x.regime, Regime::stream);
  a(x.batch, x.steps, x.copy_bytes);
}
void fields(auto& a, Is<WarmUpPlan> auto& x) { a(x.milliseconds, x.most_milliseconds, x.clock_ratio); }

void fields(auto&, Is<OpenDevice> auto&) {}
void fields(auto& a, Is<Begin> auto& x) { a(x.setup); }
void fields(auto& a, Is<Load> auto& x) { a(x.launch, x.warm_up); }
void fields(auto& a, Is<Try> auto& x) { a(x.launch, x.plan); }
void fields(auto& a, Is<Rounds> auto& x) { a(x.slots, x.plan); }
void fields(auto& a, Is<CheckAgain> auto& x) { a(x.instance, x.repeats); }
void fields(auto& a, Is<Meter> auto& x) { a(x.instance, x.plan, x.warm_seconds, x.seconds); }
void fields(auto& a, Is<Release> auto& x) { a(x.instance); }
void fields(auto&, Is<OpenCompiler> auto&) {}
void fields(auto& a, Is<Compile> auto& x) { a(x.requests, x.attempt); }

void fields(auto&, Is<StartNotice> auto&) {}
void fields(auto& a, Is<Failure> auto& x) {
  a.choice(x.kind, Failure::Kind::steps);
  a(x.text);
  a.choice(x.verdict, Verdict::quarantined);
}
void fields(auto& a, Is<DeviceState> auto& x) {
  a(x.sm_clock_mhz, x.memory_clock_mhz, x.temperature_c, x.power_w, x.energy_j, x.throttle);
}
void fields(auto& a, Is<DeviceReadings> auto& x) { a(x.states, x.users); }
void fields(auto& a, Is<LaunchEnergy> auto& x) { a(x.joules, x.error, x.seconds, x.steps, x.launches); }

void fields(auto& a, Is<DeviceFacts> auto& x) { a(x.info, x.own_clock, x.has_energy_counter, x.users); }
void fields(auto&, Is<Acknowledgement> auto&) {}
void fields(auto& a, Is<BeginAnswer> auto& x) { a(x.free_bytes); }
void fields(auto& a, Is<TryAnswer> auto& x) { a(x.status, x.numerics, x.samples_ns, x.free_bytes); }
void fields(auto& a, Is<CheckAnswer> auto& x) { a(x.status, x.numerics, x.deterministic); }
void fields(auto& a, Is<RoundsAnswer> auto& x) { a(x.status, x.samples_ns); }
void fields(auto& a, Is<MeterAnswer> auto& x) { a(x.status, x.energy); }
void fields(auto& a, Is<CompilerFacts> auto& x) { a(x.toolchain, x.preferred_batch, x.disturbs_timing); }
void fields(auto& a, Is<CompileAnswer> auto& x) { a(x.outcomes); }

}  // namespace attune
