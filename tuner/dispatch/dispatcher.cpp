#include "attune/dispatcher.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <new>

#include "base/trusted_environment.hpp"
#include "base/visible_text.hpp"
#include "core/objective_text.hpp"
#include "device/device.hpp"
#include "dispatch/added_bundles.hpp"
#include "dispatch/background.hpp"
#include "dispatch/database_hook.hpp"
#include "dispatch/kernel_table.hpp"
#include "dispatch/planner.hpp"
#include "dispatch/trim.hpp"
#include "files/paths.hpp"
#include "kernel/problem.hpp"

namespace attune {
namespace {

void print_warning(const std::string& message) { std::fprintf(stderr, "attune: %s\n", visible_text(message).c_str()); }

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
    return make(wished.empty() ? default_database_path() : wished, false);
  } catch (const Error& error) {
    warnings.warn(fmt::format("no wisdom is read: {}; using defaults", error.what()));
    return nullptr;
  }
}

WisdomSources open_sources(const DispatcherOptions& options, bool is_of_bundle, Warnings& warnings) {
  auto database = open_database(options, is_of_bundle, warnings);
  const WisdomPlaces places{options.site, options.wisdom, options.agree};
  if (!is_of_bundle) return wisdom_sources(std::move(database), places);
  if (!options.site.empty() || !options.wisdom.empty())
    throw UsageError(
        "DispatcherOptions: the site and folders are not read: what this dispatcher knows is what its bundle "
        "says");
  return only_bundles(places);
}

Regime known_regime(const std::string& text) {
  if (const std::optional<Regime> regime = regime_of(text)) return *regime;
  throw UsageError("DispatcherOptions: unknown regime `" + text + "`; it is " + std::string(regime_names));
}

// Between two trims by misses. What is used less often than this may be dropped beyond the limits.
constexpr std::int64_t trim_pause_ns = 30'000'000'000;
// How long trim() waits for launches that are under way.
constexpr std::chrono::seconds trim_patience{1};

std::int64_t now_ns() noexcept { return std::chrono::steady_clock::now().time_since_epoch().count(); }

}  // namespace

struct Dispatcher::State {
  State(DispatcherOptions given, bool is_of_bundle)
      : options(std::move(given)),
        warnings(sink_or_default(options.warn)),
        bundles(warnings),
        device(open_wished(options.device)),
        planner(device, open_sources(options, is_of_bundle, warnings), bundles, {options.cache, options.site_cache},
                known_regime(options.regime), canonical_objective(options.objective), warnings,
                options.misses.empty() ? miss_log_path().value_or("") : options.misses, held) {
    if (options.deterministic_only) planner.use_deterministic_only();
    warnings.deliver();
  }

  // The caller has the lock `trimming`.
  void trim(const MemoryLimits& limits, std::chrono::nanoseconds patience) {
    retired.free(patience);
    const TrimResult dropped = trim_plans(kernels.all(), *held, limits);
    evicted_images += dropped.images;
    evicted_scratch += dropped.scratch;
    retired.free(patience);
  }

  // Trims beyond the limits, unless that was done a moment ago.
  void trim_after_miss() {
    const MemoryLimits limits{options.image_limit, options.scratch_limit};
    if (held->images <= limits.images && held->scratch <= limits.scratch) return;
    std::int64_t next = next_trim_ns;
    const std::int64_t now = now_ns();
    if (now < next || !next_trim_ns.compare_exchange_strong(next, now + trim_pause_ns)) return;
    const std::unique_lock lock(trimming, std::try_to_lock);
    if (!lock) return;
    try {
      trim(limits, {});
    } catch (const std::bad_alloc&) {  // no room to look for what can be dropped
    }
  }

  const DispatcherOptions options;
  Warnings warnings;
  AddedBundles bundles;
  std::shared_ptr<Device> device;
  const std::shared_ptr<HeldMemory> held = std::make_shared<HeldMemory>();
  Planner planner;
  RetiredPlans retired;
  std::mutex trimming;
  std::atomic<std::int64_t> next_trim_ns = 0;
  std::atomic<std::uint64_t> evicted_images = 0, evicted_scratch = 0;
  // Its actions use all that is declared here, but nothing uses it when this object ends.
  EntryServices services{device,
                         [this](const std::shared_ptr<const KernelPack>& kernel, const Problem& problem, Policy policy,
                                const GradedMatch* choice) { return planner.plan(kernel, problem, policy, choice); },
                         warnings,
                         background,
                         retired,
                         [this] { trim_after_miss(); },
                         options.deterministic_only};
  KernelTable kernels{services};
  Background background;  // last: its actions use all of the above
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
  // Who finds a kernel finds its wisdom too.
  state_->kernels.add(std::move(packs), [&] { state_->bundles.add(bundle); });
}

std::vector<std::byte> Dispatcher::bundle() const {
  const WarningDelivery delivery{state_->warnings};
  BundleWriter writer;
  std::vector<const KernelPack*> packs;
  for (const KernelEntries* const kernel : state_->kernels.all()) packs.push_back(&kernel->pack());
  for (const KernelPack* const pack : packs) add_kernel(writer, *pack);
  state_->planner.add_to(writer, packs);
  return writer.finish();
}

Plan Dispatcher::plan(std::string_view kernel, const Problem& problem) { return plan(kernel, problem, Policy::wait); }

Plan Dispatcher::plan(std::string_view kernel, const Problem& problem, Policy policy) {
  return Plan(state_->kernels.find(kernel).plan(problem, policy));
}

Plan Dispatcher::plan(std::string_view kernel, const Problem& problem, const Configuration& configuration) {
  return Plan(state_->kernels.find(kernel).plan(problem, configuration));
}

Kernel Dispatcher::kernel(std::string_view name, Policy policy) {
  KernelEntries& entries = state_->kernels.find(name);
  entries.recipe().expect_launches();
  return Kernel(entries, policy);
}

void Dispatcher::prepare(std::string_view kernel, std::span<const Problem> problems) {
  KernelEntries& entries = state_->kernels.find(kernel);
  for (const Problem& problem : problems) entries.plan(problem, Policy::wait);
}

void Dispatcher::refresh() {
  if (state_->options.deterministic_only) return;  // problems keep what they were planned with
  ++state_->services.generation;
  std::exception_ptr first;
  for (KernelEntries* const kernel : state_->kernels.all()) {
    const std::exception_ptr failure = kernel->refresh();
    if (first == nullptr) first = failure;
  }
  state_->retired.free(trim_patience);
  if (first != nullptr) std::rethrow_exception(first);
}

void Dispatcher::trim(const MemoryLimits& limits) {
  const std::lock_guard lock(state_->trimming);
  state_->trim(limits, trim_patience);
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
  for (const KernelEntries* const kernel : state_->kernels.all()) {
    statistics.entries += kernel->size();
    statistics.swaps += kernel->swaps();
  }
  statistics.image_bytes = state_->held->images;
  statistics.scratch_bytes = state_->held->scratch;
  statistics.evicted_images = state_->evicted_images;
  statistics.evicted_scratch = state_->evicted_scratch;
  return statistics;
}

Match Dispatcher::match(std::string_view kernel, const Problem& given) {
  KernelEntries& entries = state_->kernels.find(kernel);
  const KernelPack& pack = entries.pack();
  const Problem problem = make_problem(pack.spec, given, state_->device->info().kind, EmptyProblem::allowed);
  if (std::optional<Match> known = entries.match(problem)) return *std::move(known);
  const WarningDelivery delivery{state_->warnings};
  return state_->planner.match(pack, problem);
}

std::string Dispatcher::wisdom_digest() const { return state_->planner.wisdom_digest(); }

std::vector<std::string> Dispatcher::kernels() const {
  std::vector<std::string> names;
  for (const KernelEntries* const kernel : state_->kernels.all()) names.push_back(kernel->name());
  return names;
}

const DispatcherOptions& Dispatcher::options() const noexcept { return state_->options; }
const DeviceInfo& Dispatcher::device_info() const noexcept { return state_->device->info(); }
const std::shared_ptr<Device>& Dispatcher::device() const noexcept { return state_->device; }

void Dispatcher::synchronize(StreamHandle stream) {
  const Status status = state_->device->synchronize(stream);
  if (status.ok()) return;
  throw_failed(status, fmt::format("work on {} failed: {}: {}", state_->device->info().name, to_text(status.verdict),
                                   status.detail));
}

}  // namespace attune
