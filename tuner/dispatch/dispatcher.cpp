#include "attune/dispatcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <type_traits>
#include <unordered_map>

#include "base/trusted_environment.hpp"
#include "base/visible_text.hpp"
#include "core/objective_text.hpp"
#include "device/device.hpp"
#include "dispatch/added_bundles.hpp"
#include "dispatch/background.hpp"
#include "dispatch/collector.hpp"
#include "dispatch/database_hook.hpp"
#include "dispatch/kernel_entries.hpp"
#include "dispatch/kernel_table.hpp"
#include "dispatch/plan_request.hpp"
#include "dispatch/planner.hpp"
#include "dispatch/single_flight.hpp"
#include "files/paths.hpp"
#include "kernel/problem.hpp"

namespace attune {
namespace {

using PartsPointer = std::shared_ptr<const PlanParts>;

void print_warning(const std::string& message) { fmt::print(stderr, "attune: {}\n", visible_text(message)); }

Warnings::Sink sink_or_default(Warnings::Sink sink) { return sink ? std::move(sink) : Warnings::Sink(print_warning); }

std::shared_ptr<Device> open_wished(const std::string& wished) {
  if (!wished.empty()) return open_device(wished);
  return open_device(trusted_environment("ATTUNE_DEVICE").value_or("cuda"));
}

// Returns null where no database is to be read, or where it cannot be opened.
std::unique_ptr<const RecordTable> open_database(const DispatcherOptions& options, bool is_of_bundle,
                                                 Warnings& warnings) {
  const MakeDatabaseReader make = database_reader();
  const std::filesystem::path& wished = options.database;
  if (!wished.empty() && (is_of_bundle || make == nullptr))
    throw UsageError(fmt::format("DispatcherOptions: the database {} is not read: {}", wished.string(),
                                 is_of_bundle ? "what this dispatcher knows is what its bundle says"
                                              : "the program links attune::bundle_runtime; link attune::runtime"));
  if (is_of_bundle || make == nullptr) return nullptr;
  try {
    return make(wished.empty() ? default_database_path() : wished);
  } catch (const Error& error) {
    warnings.warn(fmt::format("no wisdom is read: {}; using defaults", error.what()));
    return nullptr;
  }
}

Regime known_regime(const std::string& text) {
  if (const std::optional<Regime> regime = regime_of(text)) return *regime;
  throw UsageError("DispatcherOptions: unknown regime `" + text + "`; it is " + std::string(regime_names));
}

MemoryLimits limits_of(const DispatcherOptions& options) {
  constexpr double longest = 1e9;
  if (!(options.epoch_seconds > 0)) throw UsageError("DispatcherOptions: epoch_seconds must be greater than 0");
  const std::chrono::duration<double> epoch(std::min(options.epoch_seconds, longest));
  return {options.image_limit, options.scratch_limit, std::chrono::duration_cast<std::chrono::nanoseconds>(epoch)};
}

}  // namespace

struct Dispatcher::State {
  State(DispatcherOptions given, bool is_of_bundle)
      : options(std::move(given)),
        warnings(sink_or_default(options.warn)),
        bundles(warnings),
        device(open_wished(options.device)),
        planner(device, open_database(options, is_of_bundle, warnings), bundles, {options.cache, options.site_cache},
                known_regime(options.regime), canonical_objective(options.objective), warnings,
                options.misses.empty() ? miss_log_path().value_or("") : options.misses, holdings),
        collector(device, holdings, limits_of(options), background,
                  {[this](Survey& survey) { say_what_is_held(survey); },
                   [this](const ModuleSet& doomed, Garbage& dropped) { drop(doomed, dropped); }}) {
    services.background = &background;
    if (options.deterministic_only) planner.use_deterministic_only();
    warnings.deliver();
  }
  ~State() { collector.end(); }

  // Does the work, and delivers warnings whether the work fails or not.
  template <typename Work>
  std::invoke_result_t<Work> and_warn(const Work& work) {
    try {
      auto result = work();
      warnings.deliver();
      return result;
    } catch (...) {
      warnings.deliver();
      throw;
    }
  }

  // Finds a known plan: in the steady state a request costs one shared lock and one look-up.
  PartsPointer find(const PlanRequestView& request) const {
    const std::shared_lock lock(mutex);
    const auto place = plans.find(request);
    if (place == plans.end()) return nullptr;
    place->second.used.mark(holdings->epoch());
    return place->second.parts;
  }

  // `problem` is complete, so that a request that names the defaults and one that omits them share one plan.
  PlannedParts plan(const KernelPack& kernel, const Problem& problem, Policy policy) {
    // The configuration must not depend on which images are there already.
    if (options.deterministic_only && policy == Policy::background) policy = Policy::wait;
    if (policy != Policy::wait) return planner.plan(kernel, problem, policy);
    const PlanRequest complete{kernel.spec.name, problem};
    PlannedParts planned = preparing.get(complete, [&] { return planner.plan(kernel, problem); });
    if (!planned.is_final) preparing.forget(complete);
    return planned;
  }

  PartsPointer prepare(std::string_view name, const Problem& given, Policy policy) {
    const KernelPack& kernel = kernels.find(name);
    const PlannedParts planned =
        plan(kernel, make_problem(kernel.spec, given, device->info().kind, EmptyProblem::allowed), policy);
    if (!planned.is_final || !planned.is_best) return planned.parts;
    const std::unique_lock lock(mutex);
    plans.try_emplace(PlanRequest{kernel.spec.name, given}, planned.parts).first->second.used.mark(holdings->epoch());
    return planned.parts;
  }

  const DispatcherOptions options;
  Warnings warnings;
  AddedBundles bundles;
  std::shared_ptr<Device> device;
  const std::shared_ptr<Holdings> holdings = std::make_shared<Holdings>();
  KernelTable kernels;
  Planner planner;
  SingleFlight<PlanRequest, PlannedParts, PlanRequestHash, PlanRequestEqual> preparing;  // by complete problem
  KernelEntries& entries_of(std::string_view name) {
    const KernelPack& kernel = kernels.find(name);
    const std::lock_guard lock(entries_mutex);
    std::unique_ptr<KernelEntries>& place = entries[kernel.spec.name];
    if (place == nullptr) place = std::make_unique<KernelEntries>(kernel, services);
    return *place;
  }

  std::vector<KernelEntries*> all_entries() const {
    const std::lock_guard lock(entries_mutex);
    std::vector<KernelEntries*> all;
    for (const auto& [name, one] : entries)
      if (one != nullptr) all.push_back(one.get());
    return all;
  }

  // Forgets what plan() found, so that it reads the wisdom again.
  void forget_plans() {
    preparing.clear();
    const std::unique_lock lock(mutex);
    plans.clear();
  }

  void say_what_is_held(Survey& survey) {
    planner.images().survey(survey);
    preparing.for_each([&](const PlanRequest&, const PlannedParts& planned) { survey.add(planned.parts, 0); });
    for (const KernelEntries* const one : all_entries()) one->survey(survey);
    const std::shared_lock lock(mutex);
    for (const auto& [request, known] : plans) survey.add(known.parts, known.used.epoch());
  }

  void drop(const ModuleSet& doomed, Garbage& dropped) {
    planner.images().drop(doomed, dropped);
    preparing.forget_if([&](const PlannedParts& planned) {
      if (!is_of(*planned.parts, doomed)) return false;
      dropped.push_back(planned.parts);
      return true;
    });
    for (KernelEntries* const one : all_entries()) one->drop(doomed, dropped);
    const std::unique_lock lock(mutex);
    std::erase_if(plans, [&](const auto& one) {
      if (!is_of(*one.second.parts, doomed)) return false;
      dropped.push_back(one.second.parts);
      return true;
    });
  }

  struct KnownPlan {
    explicit KnownPlan(PartsPointer of) : parts(std::move(of)) {}
    PartsPointer parts;
    mutable LastUse used;
  };
  mutable std::shared_mutex mutex;
  std::unordered_map<PlanRequest, KnownPlan, PlanRequestHash, PlanRequestEqual> plans;  // by requested problem
  EntryServices services{device,
                         [this](const KernelPack& kernel, const Problem& problem, Policy policy) -> PlannedParts {
                           return and_warn([&] { return plan(kernel, problem, policy); });
                         },
                         [this](const std::string& message) {
                           warnings.warn(message);
                           warnings.deliver();
                         },
                         nullptr, holdings};
  mutable std::mutex entries_mutex;
  std::map<std::string, std::unique_ptr<KernelEntries>> entries;
  Collector collector;
  Background background;  // last: its jobs use all of the above
};

Dispatcher::Dispatcher(DispatcherOptions options) : state_(std::make_unique<State>(std::move(options), false)) {}
Dispatcher::Dispatcher(const Bundle& bundle, DispatcherOptions options)
    : state_(std::make_unique<State>(std::move(options), true)) {
  add(bundle);
}
Dispatcher::~Dispatcher() = default;

void Dispatcher::add(const Bundle& bundle) {
  std::vector<KernelPack> packs;
  for (const Section& section : bundle.sections(SectionKind::kernel)) {
    std::optional<KernelPack> pack = decode_pack(bundle.read(section));
    if (!pack)
      throw Error(fmt::format(
          "the bundle {} holds a kernel of another version of attune, or a name with control characters; make it again",
          bundle.name()));
    packs.push_back(*std::move(pack));
  }
  state_->kernels.add(std::move(packs));
  state_->bundles.add(bundle);
}

std::vector<std::byte> Dispatcher::bundle() const {
  return state_->and_warn([&] {
    BundleWriter writer;
    const std::vector<const KernelPack*> kernels = state_->kernels.all();
    for (const KernelPack* const kernel : kernels) add_kernel(writer, *kernel);
    state_->planner.add_to(writer, kernels);
    return writer.finish();
  });
}

Plan Dispatcher::plan(std::string_view kernel, const Problem& problem) { return plan(kernel, problem, Policy::wait); }

Plan Dispatcher::plan(std::string_view kernel, const Problem& problem, Policy policy) {
  if (PartsPointer parts = state_->find({kernel, problem})) return Plan(std::move(parts));
  return state_->and_warn([&] { return Plan(state_->prepare(kernel, problem, policy)); });
}

Kernel Dispatcher::kernel(std::string_view name, Policy policy) { return Kernel(state_->entries_of(name), policy); }

void Dispatcher::prepare(std::string_view kernel, std::span<const Problem> problems) {
  KernelEntries& entries = state_->entries_of(kernel);
  for (const Problem& problem : problems) entries.prepare(problem);
}

void Dispatcher::refresh() {
  if (state_->options.deterministic_only) return;  // problems keep what they were planned with
  state_->forget_plans();
  for (KernelEntries* const entries : state_->all_entries()) entries->refresh();
}

void Dispatcher::wait_for_background() { state_->background.wait(); }

Statistics Dispatcher::statistics() const {
  const Planner::Counts counts = state_->planner.counts();
  Statistics statistics;
  statistics.plans = counts.plans;
  statistics.waited = counts.waited;
  statistics.compiled = counts.images.compiled;
  statistics.from_cache = counts.images.from_cache;
  statistics.from_bundle = counts.images.from_bundle;
  statistics.reused = counts.images.reused;
  for (const KernelEntries* const entries : state_->all_entries()) {
    statistics.entries += entries->size();
    statistics.swaps += entries->swaps();
  }
  statistics.image_bytes = state_->holdings->image_bytes();
  statistics.scratch_bytes = state_->holdings->scratch_bytes();
  statistics.evicted_images = state_->collector.counts().images;
  statistics.evicted_scratch = state_->collector.counts().scratch;
  return statistics;
}

Match Dispatcher::match(std::string_view kernel, const Problem& problem) {
  if (const PartsPointer parts = state_->find({kernel, problem})) return parts->match;
  const KernelPack& known = state_->kernels.find(kernel);
  return state_->and_warn([&] {
    return state_->planner.match(known,
                                 make_problem(known.spec, problem, state_->device->info().kind, EmptyProblem::allowed));
  });
}

std::vector<std::string> Dispatcher::kernels() const { return state_->kernels.names(); }
const DispatcherOptions& Dispatcher::options() const noexcept { return state_->options; }
const DeviceInfo& Dispatcher::device_info() const noexcept { return state_->device->info(); }
const std::shared_ptr<Device>& Dispatcher::device() const noexcept { return state_->device; }

void Dispatcher::synchronize(StreamHandle stream) {
  const Status status = state_->device->synchronize(stream);
  if (status.ok()) return;
  throw Error(
      fmt::format("work on {} failed: {}: {}", state_->device->info().name, to_text(status.verdict), status.detail));
}

}  // namespace attune
