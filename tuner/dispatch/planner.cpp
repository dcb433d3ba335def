#include "dispatch/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/first_line.hpp"
#include "bundle/bundle_covers.hpp"
#include "bundle/bundle_records.hpp"
#include "dispatch/plan_failures.hpp"
#include "files/paths.hpp"
#include "kernel/empty_problem.hpp"
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
  if (site) caches.site = std::make_unique<ImageCache>(*site, ImageCache::Access::read_only);
  return caches;
}

bool has_launch(std::span<const ResolvedStep> steps) {
  return std::ranges::any_of(steps, [](const ResolvedStep& step) { return step.kind == StepKind::launch; });
}

}  // namespace

// Cold functions are compiled for size: libattune.so is to stay small.
[[gnu::cold]] Planner::Planner(std::shared_ptr<Device> device, WisdomSources sources, const AddedBundles& bundles,
                               const CacheFolders& caches, Regime regime, std::string objective, Warnings& warnings,
                               const std::filesystem::path& misses, std::shared_ptr<HeldMemory> held)
    : device_(std::move(device)),
      wisdom_(std::move(sources), bundles, warnings),
      regime_(regime),
      objective_(std::move(objective)),
      warnings_(warnings),
      misses_(misses, warnings),
      context_(std::make_shared<PlanContext>(
          device_,
          [&warnings](const std::string& message) {
            const WarningDelivery delivery{warnings};
            warnings.warn(message);
          },
          std::move(held))),
      images_(
          device_, bundles, caches_in(caches, warnings),
          [&warnings](const std::string& message) { warnings.warn(message); }, context_->held) {}

// Requests for a new size of a kernel neither copy nor hash the kernel's source again.
WantedImage Planner::wanted_image(const MatchRequest& request, const Configuration& configuration) {
  const KernelSpec& spec = request.spec;
  ImageRequest wanted = sourceless_launch_request(spec, request.problem, configuration, request.device);
  const std::lock_guard lock(source_keys_mutex_);
  auto place = source_keys_.find(&spec);
  if (place == source_keys_.end())
    place = source_keys_.emplace(&spec, source_key(request.device.architecture(), spec.source)).first;
  return {std::move(wanted), spec.source, place->second};
}

MatchRequest Planner::request_for(const KernelPack& kernel, const Problem& problem) {
  if (deterministic_only_ && !kernel.spec.deterministic && !launches_nothing(kernel.spec, problem))
    throw Error(
        fmt::format("no configuration of {} may be used: deterministic_only is set, and [kernel] of {} has no "
                    "`deterministic`; say there of which configurations equal inputs give equal bits "
                    "(docs/kernel_files.md), or leave deterministic_only out",
                    kernel.spec.name, kernel.tune_target));
  return {kernel.spec,      problem,    device_info(),    kernel.tune_target,
          to_text(regime_), objective_, kernel.fallbacks, deterministic_only_};
}

RequestLadder Planner::ladder_of(const MatchRequest& request, RequestLadder::Order order) {
  const auto look = [this](const MatchRequest& of, Reach reach) {
    Wisdom::LookUpResult found = wisdom_.find(of, reach);
    if (!found.failure.empty() && deterministic_only_)
      throw Error(
          fmt::format("what is known of {} cannot be read, and with deterministic_only no default takes its place: {}",
                      of.spec.name, found.failure));
    return found;
  };
  RequestLadder ladder(request, look, order);
  if (ladder.at(0) == nullptr) fail_without_any(request);
  return ladder;
}

// A problem whose record does not compile here is no miss, because tuning it again would find that record.
void Planner::log_miss(const MatchRequest& request, RequestLadder& ladder) {
  if (ladder.is_final() && is_miss(ladder.at(0)->match.rung)) misses_.add(request);
}

Match Planner::match(const KernelPack& kernel, const Problem& problem) {
  if (launches_nothing(kernel.spec, problem)) return match_of_nothing(kernel.spec, problem, device_->info());
  const MatchRequest request = request_for(kernel, problem);
  RequestLadder ladder = ladder_of(request, RequestLadder::Order::by_rung);
  GradedMatch best = *ladder.at(0);
  if (best.match.rung == Rung::exact)
    grade_toolchain(best, request, images_.toolchain(wanted_image(request, best.match.configuration)));
  return std::move(best.match);
}

PlannedParts Planner::plan(const std::shared_ptr<const KernelPack>& kernel, const Problem& problem, Policy policy,
                           const GradedMatch* choice) {
  const PlanRequest request{request_for(*kernel, problem), {kernel, &kernel->spec}};
  if (launches_nothing(request.spec, problem)) {
    Status status;
    return {build(request, {match_of_nothing(request.spec, problem, request.device), {}, false}, false, status)};
  }
  if (choice != nullptr) {
    Attempt only = attempt(request, *choice, policy != Policy::cached_only);
    if (only.parts == nullptr) fail_for_now(request, *choice, only.status);
    return {std::move(only.parts), true, true, *choice};
  }
  const bool is_background = policy == Policy::background;
  RequestLadder ladder =
      ladder_of(request, is_background ? RequestLadder::Order::fallbacks_early : RequestLadder::Order::by_rung);
  log_miss(request, ladder);
  if (policy == Policy::wait || deterministic_only_) return best_of(ladder, request, policy);
  // What is ready. A last resort serves only where it is the first candidate.
  const auto is_wanted = [](const GradedMatch& one, bool is_first) { return is_first || !one.is_last_resort; };
  if (auto ready = first_of(ladder, request, {is_wanted, false})) return *std::move(ready);
  if (!is_background) throw not_prepared(request);
  ++waited_;
  // A fall-back serves until the best is prepared, unless it is known to fail here.
  const auto serves = [](const GradedMatch& one, bool) { return one.match.rung == Rung::none && !one.is_last_resort; };
  if (ladder.has_record())
    if (auto fallback = first_of(ladder, request, {serves, true})) return *std::move(fallback);
  return best_of(ladder, request, policy);
}

std::optional<PlannedParts> Planner::first_of(RequestLadder& ladder, const PlanRequest& request, const Pass& pass) {
  for (std::size_t i = 0; const GradedMatch* const candidate = ladder.at(i); ++i) {
    if (!pass.admits(*candidate, i == 0)) continue;
    Attempt made = attempt(request, *candidate, pass.may_compile);
    if (made.parts != nullptr) {
      const bool is_best = i == 0 || pass.report;
      auto choice = deterministic_only_ ? std::optional(*candidate) : std::nullopt;
      return PlannedParts{std::move(made.parts), is_best, ladder.is_final(), std::move(choice)};
    }
    if (pass.report) pass.report(*candidate, made);
  }
  return std::nullopt;
}

// A fall-back that does not compile gives way to the next candidate. If none can be used, the failure of the first
// fall-back is reported.
PlannedParts Planner::best_of(RequestLadder& ladder, const PlanRequest& request, Policy policy) {
  std::exception_ptr first;  // failure of a fall-back
  std::string warning;
  const auto report = [&](const GradedMatch& candidate, const Attempt& made) {
    // A failure that is not of the code itself may pass: another configuration would be used in this run alone.
    if (deterministic_only_ && !is_lasting(made.status.verdict)) fail_for_now(request, candidate, made.status);
    if (candidate.match.rung != Rung::none) {
      warnings_.warn(unusable_record(request, candidate, made.status));
    } else if (first == nullptr) {
      const Error failure = default_failure(request, candidate, made.status);
      first = made.error != nullptr ? made.error : std::make_exception_ptr(failure);
      warning = first_line(made.error != nullptr ? made.status.detail : failure.what());
    }
  };
  const auto is_any = [](const GradedMatch&, bool) { return true; };
  auto best = first_of(ladder, request, {is_any, !deterministic_only_ || policy != Policy::cached_only, report});
  if (!best && first == nullptr) fail_without_any(request);
  if (!best) std::rethrow_exception(first);
  const Match& match = best->parts->match;
  if (!warning.empty() && match.rung != Rung::none)
    warnings_.warn(warning + "; using what was found for " +
                   (match.rung == Rung::cover ? "a cover" : match.record_problem));
  return *std::move(best);
}

Planner::Attempt Planner::attempt(const PlanRequest& request, const GradedMatch& candidate, bool may_compile) {
  Attempt made;
  try {
    made.parts = build(request, candidate, may_compile, made.status);
  } catch (const Error& error) {
    made.status = {Verdict::load_error, error.what(), false};
    made.error = std::current_exception();
  }
  return made;
}

void Planner::add_to(BundleWriter& bundle, const std::vector<const KernelPack*>& kernels) {
  std::vector<Record> records;
  std::vector<Cover> covers;
  for (const KernelPack* const kernel : kernels) {
    std::ranges::move(wisdom_.records_of(kernel->spec, device_->info().kind), std::back_inserter(records));
    std::ranges::move(wisdom_.covers_of(kernel->spec, device_->info().kind), std::back_inserter(covers));
  }
  add_records(bundle, records);
  add_covers(bundle, std::move(covers));
  images_.add_to(bundle);
}

Planner::Counts Planner::counts() const {
  Counts counts;
  for (std::size_t i = 0; i < plans_.size(); ++i) counts.plans[i] = plans_[i];
  counts.waited = waited_;
  counts.images = images_.counts();
  return counts;
}

// Returns null where the configuration cannot be used, and says why in `status`. Without `may_compile`, it returns null
// with an ok status where the image would have to be compiled. Throws Error where something else is wrong, such as no
// compiler.
std::shared_ptr<const PlanParts> Planner::build(const PlanRequest& request, GradedMatch candidate, bool may_compile,
                                                Status& status) {
  const Configuration& configuration = candidate.match.configuration;
  const ResolvedPlan resolved = resolve_plan(request.spec, request.problem, configuration, request.device);
  LoadedImage image;
  if (has_launch(resolved.steps)) {
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
    grade_toolchain(candidate, request, image.toolchain);
  }
  const Rung rung = candidate.match.rung;
  auto parts = make_plan_parts(context_, request.kernel, {std::move(image.module), image.bytes, std::move(image.image)},
                               request.problem, std::move(candidate.match), resolved, status);
  if (parts != nullptr) ++plans_[static_cast<std::size_t>(rung)];
  return parts;
}

}  // namespace attune
