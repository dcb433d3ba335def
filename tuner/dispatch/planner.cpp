#include "dispatch/planner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/first_line.hpp"
#include "bundle/bundle_records.hpp"
#include "files/paths.hpp"
#include "kernel/instantiate.hpp"
#include "kernel/legality.hpp"
#include "kernel/near_miss.hpp"

namespace attune {
namespace {

std::unique_ptr<ImageCache> cache_or_none(const std::filesystem::path& wished, Warnings& warnings) {
  try {
    return std::make_unique<ImageCache>(wished.empty() ? default_cache_path() : wished);
  } catch (const Error& error) {
    warnings.warn(fmt::format("the image cache is not used: {}; kernels are compiled at every start", error.what()));
    return nullptr;
  }
}

ImageCaches caches_in(const CacheFolders& folders, Warnings& warnings) {
  ImageCaches caches{cache_or_none(folders.own, warnings), nullptr};
  const auto site = folders.site.empty() ? site_cache_path() : std::optional(folders.site);
  if (site) caches.site = std::make_unique<ImageCache>(*site, ImageCache::Use::read_only);
  return caches;
}

bool has_launch(std::span<const ResolvedStep> steps) {
  return std::ranges::any_of(steps, [](const ResolvedStep& step) { return step.kind == StepKind::launch; });
}

// Returns how many of the rungs, the first ones, are records of this problem and device.
std::size_t own_records(std::span<const GradedMatch> rungs) {
  std::size_t count = 0;
  while (count < rungs.size() && rungs[count].match.rung < Rung::near_problem) ++count;
  return count;
}

// Returns the fall-back configurations that may be used here, in their order.
std::vector<Configuration> usable_fallbacks(const MatchRequest& request) {
  std::vector<Configuration> found;
  for (const Configuration& fallback : request.fallbacks)
    if (auto usable = usable_configuration(request, fallback)) found.push_back(*std::move(usable));
  return found;
}

// Returns the first fall-back that is legal, but not deterministic; null: there is none.
const Configuration* varying_fallback(const MatchRequest& request) {
  if (!request.deterministic_only) return nullptr;
  for (const Configuration& fallback : request.fallbacks)
    if (legal_configuration(request.spec, request.problem, request.device, fallback)) return &fallback;
  return nullptr;
}

// Returns the usable ones. Throws Error naming the rule that the first one breaks, or the promise, where there are
// none.
std::vector<Configuration> legal_fallbacks(const KernelPack& kernel, const MatchRequest& request) {
  if (auto found = usable_fallbacks(request); !found.empty()) return found;
  const std::string none =
      fmt::format("none of the {} fall-back configurations of {} is", kernel.fallbacks.size(), request.spec.name);
  const std::string here = fmt::format("for {} on {}", request.problem.text(), request.device.name);
  if (const Configuration* const varying = varying_fallback(request))
    throw Error(
        fmt::format("{} deterministic {}: of {}, `{}` ([kernel] `deterministic`) does not hold; list values for "
                    "which it holds first in [parameters], or tune with such values alone: {} --parameters "
                    "\"NAME=VALUE,...\"",
                    none, here, varying->text(), request.spec.deterministic->text(), tune_command(request)));
  std::string why = "it has none";
  if (!kernel.fallbacks.empty()) {
    const Configuration& first = kernel.fallbacks.front();
    why = fmt::format("of {}, {}", first.text(), why_illegal(request.spec, request.problem, request.device, first));
  }
  throw Error(fmt::format("{} legal {}: {}; tune this problem: {}", none, here, why, tune_command(request)));
}

NotPrepared not_prepared(const MatchRequest& request) {
  return NotPrepared(
      fmt::format("no image of {} for {} is loaded or cached on {}; prepare it first: "
                  "gpu.prepare(\"{}\", ...), or launch it once before",
                  request.spec.name, request.problem.text(), request.device.name, request.spec.name));
}

[[noreturn]] void fail_for_now(const MatchRequest& request, const Configuration& configuration,
                               std::string_view detail) {
  throw Error(
      fmt::format("the configuration {} of {} cannot be used for {} on {}: {}; with deterministic_only no other "
                  "one takes its place",
                  configuration.text(), request.spec.name, request.problem.text(), request.device.name, detail));
}

}  // namespace

Planner::Planner(std::shared_ptr<Device> device, std::unique_ptr<const RecordTable> database,
                 const AddedBundles& bundles, const CacheFolders& caches, Regime regime, std::string objective,
                 Warnings& warnings, const std::filesystem::path& misses, std::shared_ptr<Holdings> holdings)
    : device_(std::move(device)),
      wisdom_(std::move(database), bundles, warnings),
      regime_(regime),
      objective_(std::move(objective)),
      warnings_(warnings),
      misses_(misses, warnings),
      images_(
          device_, bundles, caches_in(caches, warnings),
          [&warnings](const std::string& message) { warnings.warn(message); }, holdings),
      holdings_(std::move(holdings)) {}

// A new size of a kernel neither copies nor hashes its source.
WantedImage Planner::wanted_image(const MatchRequest& request, const Configuration& configuration) {
  const KernelSpec& spec = request.spec;
  ImageRequest wanted = sourceless_launch_request(spec, request.problem, configuration, request.device);
  const std::lock_guard lock(source_keys_mutex_);
  auto place = source_keys_.find(&spec);
  if (place == source_keys_.end())
    place = source_keys_.emplace(&spec, source_key(request.device.architecture(), spec.source)).first;
  return {std::move(wanted), spec.source, place->second};
}

MatchRequest Planner::request_for(const KernelPack& kernel, const Problem& problem) const {
  if (deterministic_only_ && !kernel.spec.deterministic)
    throw Error(
        fmt::format("no configuration of {} may be used: deterministic_only is set, and [kernel] of {} has no "
                    "`deterministic`; say there of which configurations equal inputs give equal bits "
                    "(docs/kernel_files.md), or leave deterministic_only out",
                    kernel.spec.name, kernel.tune_target));
  return {kernel.spec,      problem,    device_->info(),  kernel.tune_target,
          to_text(regime_), objective_, kernel.fallbacks, deterministic_only_};
}

Planner::Known Planner::known(const MatchRequest& request, Reach reach) {
  const auto [candidates, is_final, failure] = wisdom_.find(request, reach);
  if (!failure.empty() && deterministic_only_)
    throw Error(
        fmt::format("what is known of {} cannot be read, and with deterministic_only no default takes its place: {}",
                    request.spec.name, failure));
  const LegalityCheck legal = [&](const Configuration& configuration) {
    return usable_configuration(request, configuration);
  };
  Known known{match_ladder(request, candidates.records, legal), {}, candidates.are_all, is_final};
  if (known.rungs.empty()) {
    known.near_miss = say_near_miss(request, candidates.records, legal);
    if (known.near_miss.empty()) known.near_miss = say_near_miss(request, candidates.near_misses, legal);
  }
  return known;
}

// A record that does not compile here is known all the same: to tune again would find it.
void Planner::log_miss(const MatchRequest& request, const Known& known) {
  if (!known.is_final) return;
  if (known.rungs.empty() || is_miss(known.rungs.front().match.rung)) misses_.add(request);
}

Match Planner::match(const KernelPack& kernel, const Problem& problem) {
  const MatchRequest request = request_for(kernel, problem);
  const auto chosen = deterministic_only_ ? choices_.find({kernel.spec.name, problem}) : std::nullopt;
  Known first = chosen ? Known{{*chosen}, {}, true, true} : known(request, Reach::this_problem);
  if (first.rungs.empty() && !first.are_all) first = known(request, Reach::all);
  if (first.rungs.empty()) return no_match(request, legal_fallbacks(kernel, request).front(), first.near_miss);
  GradedMatch& best = first.rungs.front();
  if (best.match.rung == Rung::exact) {
    grade_toolchain(best, request, images_.toolchain(wanted_image(request, best.match.configuration)));
  }
  return std::move(best.match);
}

Planned Planner::plan(const KernelPack& kernel, const Problem& problem, Policy policy) {
  const MatchRequest request = request_for(kernel, problem);
  if (deterministic_only_) return plan_deterministic(kernel, request, policy);
  if (policy != Policy::wait) return plan_ready(kernel, request, policy);
  Known present;
  for (const Reach reach : {Reach::this_problem, Reach::all}) {
    present = known(request, reach);
    log_miss(request, present);
    for (const GradedMatch& graded : present.rungs)
      if (auto parts = build_or_warn(request, graded)) return {std::move(parts), true, present.is_final};
    if (present.are_all) break;
  }
  return {build_fallback(kernel, request, present.near_miss), true, present.is_final};
}

// Where a problem has a record, near ones are looked for only if neither its image nor a fall-back's is ready. Without
// a better one to follow, they are looked for before the fall-backs.
Planned Planner::plan_ready(const KernelPack& kernel, const MatchRequest& request, Policy policy) {
  Known present = known(request, Reach::this_problem);
  log_miss(request, present);
  if (!present.are_all) {
    const bool has_own = own_records(present.rungs) > 0;
    if (has_own)
      if (auto planned = find_ready(kernel, request, present, own_records(present.rungs), policy == Policy::background))
        return *std::move(planned);
    Known all = known(request, Reach::all);
    if (has_own && all.rungs.empty()) {
      present.is_final = all.is_final;  // the source has become unreadable
    } else {
      present = std::move(all);
      log_miss(request, present);
    }
  }
  if (auto planned = find_ready(kernel, request, present, present.rungs.size(), true)) return *std::move(planned);
  if (policy == Policy::cached_only) throw not_prepared(request);
  ++waited_;
  if (!present.rungs.empty() && usable_fallbacks(request).empty()) return plan(kernel, request.problem, Policy::wait);
  return {build_fallback(kernel, request, present.near_miss), present.rungs.empty(), present.is_final};
}

// Returns what is loaded or cached: of the first `records` the best, else a fall-back where that is asked for.
std::optional<Planned> Planner::find_ready(const KernelPack& kernel, const MatchRequest& request, const Known& present,
                                           std::size_t records, bool by_fallback) {
  for (std::size_t i = 0; i < records; ++i)
    if (auto parts = build_ready(request, present.rungs[i])) return Planned{std::move(parts), i == 0, present.is_final};
  if (!by_fallback) return std::nullopt;
  bool is_best = present.rungs.empty();
  for (Configuration& fallback : is_best ? legal_fallbacks(kernel, request) : usable_fallbacks(request)) {
    if (auto parts = build_ready(request, {no_match(request, std::move(fallback), present.near_miss), {}}))
      return Planned{std::move(parts), is_best, present.is_final};
    is_best = false;
  }
  return std::nullopt;
}

Planned Planner::plan_deterministic(const KernelPack& kernel, const MatchRequest& request, Policy policy) {
  const PlanRequest asked{request.spec.name, request.problem};
  Status status;
  const auto plan_chosen = [&](const GradedMatch& chosen) -> Planned {
    if (auto parts = build_or_fail(request, chosen, policy, status)) return {std::move(parts)};
    fail_for_now(request, chosen.match.configuration, status.detail);
  };
  if (const std::optional<GradedMatch> chosen = choices_.find(asked)) return plan_chosen(*chosen);
  Known present = known(request, Reach::all);
  log_miss(request, present);
  std::vector<GradedMatch> wanted = std::move(present.rungs);
  for (Configuration& fallback : wanted.empty() ? legal_fallbacks(kernel, request) : usable_fallbacks(request))
    wanted.push_back({no_match(request, std::move(fallback), present.near_miss), {}});
  for (const GradedMatch& graded : wanted) {
    if (auto parts = build_or_fail(request, graded, policy, status)) {
      const GradedMatch chosen = choices_.keep(asked, graded);
      if (chosen.match.configuration != graded.match.configuration) return plan_chosen(chosen);
      return {std::move(parts)};
    }
    if (graded.match.rung != Rung::none) warn_of(request, graded.match.configuration, status);
  }
  throw Error(fmt::format("no deterministic configuration of {} can be used for {} on {}; the last ({}) {}: {}",
                          request.spec.name, request.problem.text(), request.device.name,
                          wanted.back().match.configuration.text(), to_text(status.verdict), status.detail));
}

// Whatever is no matter of the code itself passes: what would take its place is for this time alone.
std::shared_ptr<const PlanParts> Planner::build_or_fail(const MatchRequest& request, const GradedMatch& graded,
                                                        Policy policy, Status& status) {
  std::string wrong;
  try {
    status = {};
    if (auto parts = build(request, graded, status, policy != Policy::cached_only)) return parts;
    if (status.ok()) throw not_prepared(request);
    if (is_lasting(status.verdict)) return nullptr;
    wrong = fmt::format("{}: {}", to_text(status.verdict), status.detail);
  } catch (const NotPrepared&) {
    throw;
  } catch (const Error& error) {  // there is no compiler, say
    wrong = error.what();
  }
  fail_for_now(request, graded.match.configuration, wrong);
}

std::shared_ptr<const PlanParts> Planner::build_ready(const MatchRequest& request, const GradedMatch& graded) {
  try {
    Status status;
    return build(request, graded, status, false);
  } catch (const Error&) {
    return nullptr;  // of this configuration; another may serve
  }
}

void Planner::add_to(BundleWriter& bundle, const std::vector<const KernelPack*>& kernels) {
  std::vector<Record> records;
  for (const KernelPack* const kernel : kernels)
    for (Record& record : wisdom_.records_of(kernel->spec, device_->info().kind)) records.push_back(std::move(record));
  add_records(bundle, records);
  images_.add_to(bundle);
}

Planner::Counts Planner::counts() const {
  Counts counts;
  for (std::size_t i = 0; i < plans_.size(); ++i) counts.plans[i] = plans_[i];
  counts.waited = waited_;
  counts.images = images_.counts();
  return counts;
}

// A fall-back that does not compile gives way to the next. The first one's failure is the one that is reported.
std::shared_ptr<const PlanParts> Planner::build_fallback(const KernelPack& kernel, const MatchRequest& request,
                                                         std::string_view near_miss) {
  Status first;
  for (const Configuration& fallback : legal_fallbacks(kernel, request)) {
    Status status;
    if (auto parts = build(request, {no_match(request, fallback, near_miss), {}}, status)) return parts;
    if (first.ok()) {
      first = status;
      first.detail = fmt::format("({}) {}: {}", fallback.text(), to_text(status.verdict), status.detail);
    }
  }
  throw Error(fmt::format("no fall-back configuration of {} can be used for {} on {}; the first {}", request.spec.name,
                          request.problem.text(), request.device.name, first.detail));
}

std::shared_ptr<const PlanParts> Planner::build_or_warn(const MatchRequest& request, const GradedMatch& graded) {
  Status status;
  try {
    if (auto parts = build(request, graded, status)) return parts;
  } catch (const Error& error) {
    // A broken environment, such as no compiler; a lower rung may still be in the image cache.
    status = {Verdict::load_error, error.what(), false};
  }
  warn_of(request, graded.match.configuration, status);
  return nullptr;
}

void Planner::warn_of(const MatchRequest& request, const Configuration& configuration, const Status& status) {
  warnings_.warn(
      fmt::format("the recorded configuration of {} ({}) cannot be used for {} on {}: {}: {}; using the next best",
                  request.spec.name, configuration.text(), request.problem.text(), request.device.name,
                  to_text(status.verdict), first_line(status.detail)));  // a log may have thousands of lines
}

std::shared_ptr<const PlanParts> Planner::build(const MatchRequest& request, GradedMatch graded, Status& status,
                                                bool may_compile) {
  const KernelSpec& spec = request.spec;
  const Configuration& configuration = graded.match.configuration;
  const auto steps = resolve_steps(spec, spec.launch, request.problem, &configuration, request.device);
  const auto arguments = resolve_arguments(spec, request.problem, &configuration, request.device);
  LoadedImage image;
  if (has_launch(steps)) {
    const WantedImage wanted = wanted_image(request, configuration);
    if (may_compile) {
      image = images_.get(wanted);
    } else {
      auto ready = images_.get_ready(wanted);
      if (!ready) return nullptr;
      image = *std::move(ready);
    }
    status = image.status;
    if (!status.ok()) return nullptr;
    grade_toolchain(graded, request, image.toolchain);
  }
  const std::lock_guard lock(functions_);
  const Rung rung = graded.match.rung;
  auto parts = make_plan_parts(
      device_, std::move(image.module), std::move(image.image), spec, request.problem, std::move(graded.match), steps,
      arguments, status,
      [this](const std::string& message) {
        warnings_.warn(message);
        warnings_.deliver();
      },
      holdings_);
  if (parts != nullptr) ++plans_[static_cast<std::size_t>(rung)];
  return parts;
}

}  // namespace attune
