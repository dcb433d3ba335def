#include "attune/dispatcher.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "core/objective_text.hpp"
#include "core/trusted_environment.hpp"
#include "core/visible_text.hpp"
#include "db/paths.hpp"
#include "device/device.hpp"
#include "dispatch/kernel_table.hpp"
#include "dispatch/plan_request.hpp"
#include "dispatch/planner.hpp"
#include "dispatch/single_flight.hpp"
#include "kernel/problem.hpp"

namespace attune {
namespace {

using Parts = std::shared_ptr<const PlanParts>;

void print_warning(const std::string& message) { fmt::print(stderr, "attune: {}\n", visible_text(message)); }

Warnings::Sink sink_or_default(Warnings::Sink sink) { return sink ? std::move(sink) : Warnings::Sink(print_warning); }

std::shared_ptr<Device> open_wished(const std::string& wished) {
  if (!wished.empty()) return open_device(wished);
  return open_device(trusted_environment("ATTUNE_DEVICE").value_or("cuda"));
}

std::optional<std::filesystem::path> database_or_none(const std::filesystem::path& wished, Warnings& warnings) {
  if (!wished.empty()) return wished;
  try {
    return default_database_path();
  } catch (const Error& error) {
    warnings.warn(fmt::format("no wisdom is read: {}; using defaults", error.what()));
    return std::nullopt;
  }
}

Regime known_regime(const std::string& text) {
  if (const std::optional<Regime> regime = regime_of(text)) return *regime;
  throw UsageError("DispatcherOptions: unknown regime `" + text + "`; it is " + std::string(regime_names));
}

}  // namespace

struct Dispatcher::State {
  explicit State(DispatcherOptions options)
      : warnings(sink_or_default(std::move(options.warn))),
        device(open_wished(options.device)),
        planner(device, database_or_none(options.database, warnings), {options.cache, options.site_cache},
                known_regime(options.regime), canonical_objective(options.objective), warnings) {
    warnings.deliver();
  }

  // Does it, and passes warnings on whether it fails or not.
  template <typename Work>
  auto and_warn(const Work& work) {
    try {
      auto result = work();
      warnings.deliver();
      return result;
    } catch (...) {
      warnings.deliver();
      throw;
    }
  }

  // The steady state: one shared lock, one look-up.
  Parts find(const PlanRequestView& request) const {
    const std::shared_lock lock(mutex);
    const auto place = plans.find(request);
    return place == plans.end() ? nullptr : place->second;
  }

  Parts prepare(std::string_view name, const Problem& given) {
    const KernelPack& kernel = kernels.find(name);
    const Problem problem = make_problem(kernel.spec, given, device->info().kind);
    // A request with the defaults and one without them share one plan.
    const PlanRequest complete{kernel.spec.name, problem};
    Planned planned = preparing.get(complete, [&] { return planner.plan(kernel, problem); });
    if (!planned.is_final) {
      preparing.forget(complete);
      return planned.parts;
    }
    const std::unique_lock lock(mutex);
    plans.try_emplace(PlanRequest{kernel.spec.name, given}, planned.parts);
    return planned.parts;
  }

  Warnings warnings;
  std::shared_ptr<Device> device;
  KernelTable kernels;
  Planner planner;
  SingleFlight<PlanRequest, Planned, PlanRequestHash, PlanRequestEqual> preparing;  // by complete problem
  mutable std::shared_mutex mutex;
  std::unordered_map<PlanRequest, Parts, PlanRequestHash, PlanRequestEqual> plans;  // by requested problem
};

Dispatcher::Dispatcher(DispatcherOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Dispatcher::~Dispatcher() = default;

void Dispatcher::add(const Bundle& bundle) {
  for (const Section& section : bundle.sections(SectionKind::kernel)) {
    std::optional<KernelPack> pack = decode_pack(bundle.read(section));
    if (!pack)
      throw Error(fmt::format("the bundle {} holds a kernel of another version of attune; make it again", bundle.name()));
    state_->kernels.add(*std::move(pack));
  }
}

Plan Dispatcher::plan(std::string_view kernel, const Problem& problem) {
  if (Parts parts = state_->find({kernel, problem})) return Plan(std::move(parts));
  return state_->and_warn([&] { return Plan(state_->prepare(kernel, problem)); });
}

Match Dispatcher::match(std::string_view kernel, const Problem& problem) {
  if (const Parts parts = state_->find({kernel, problem})) return parts->match;
  const KernelPack& known = state_->kernels.find(kernel);
  return state_->and_warn(
      [&] { return state_->planner.match(known, make_problem(known.spec, problem, state_->device->info().kind)); });
}

std::vector<std::string> Dispatcher::kernels() const { return state_->kernels.names(); }
const DeviceInfo& Dispatcher::device_info() const noexcept { return state_->device->info(); }
const std::shared_ptr<Device>& Dispatcher::device() const noexcept { return state_->device; }

void Dispatcher::synchronize(StreamHandle stream) {
  const Status status = state_->device->synchronize(stream);
  if (status.ok()) return;
  throw Error(
      fmt::format("work on {} failed: {}: {}", state_->device->info().name, to_text(status.verdict), status.detail));
}

}  // namespace attune
