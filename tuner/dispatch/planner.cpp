#include "dispatch/planner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/first_line.hpp"
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

// Returns how many of the first rungs are records of this problem and device.
std::size_t own_records(std::span<const GradedMatch> rungs) {
  std::size_t count = 0;
  while (count < rungs.size() && rungs[count].match.rung < Rung::near_problem) ++count;
  return count;
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

MatchRequest Planner::request_for(const KernelPack& kernel, const Problem& problem) const {
  if (deterministic_only_ && !kernel.spec.deterministic && !launches_nothing(kernel.spec, problem))
    throw Error(
        fmt::format("no configuration of {} may be used: deterministic_only is set, and [kernel] of {} has no "
                    "`deterministic`; say there of which configurations equal inputs give equal bits "
                    "(docs/kernel_files.md), or leave deterministic_only out",
                    kernel.spec.name, kernel.tune_target));
  return {kernel.spec,      problem,    device_->info(),  kernel.tune_target,
          to_text(regime_), objective_, kernel.fallbacks, deterministic_only_};
}

Wisdom::LookUpResult Planner::find(const MatchRequest& request, Reach reach) {
  Wisdom::LookUpResult found = wisdom_.find(request, reach);
  if (!found.failure.empty() && deterministic_only_)
    throw Error(
        fmt::format("what is known of {} cannot be read, and with deterministic_only no default takes its place: {}",
                    request.spec.name, found.failure));
  return found;
}

Planner::WisdomAnswer Planner::known(const MatchRequest& request, Reach reach) {
  auto [candidates, is_final, failure] = find(request, reach);
  WisdomAnswer known{{}, match_ladder(request, candidates.records), 0, {}, candidates.are_all, is_final};
  known.recorded = known.rungs.size();
  if (known.rungs.empty()) {
    known.near_miss = say_near_miss(request, candidates.records);
    if (known.near_miss.empty()) known.near_miss = say_near_miss(request, candidates.near_misses);
  }
  known.records = std::move(candidates.records);
  return known;
}

// Adds the last rungs. Where no look with a farther reach is to come, they include records of other problems.
void Planner::complete(const MatchRequest& request, WisdomAnswer& known) {
  if (known.is_complete) return;
  known.is_complete = true;
  if (known.are_all) {
    Wisdom::LookUpResult others = find(request, Reach::other_problems);
    std::ranges::move(others.candidates.records, std::back_inserter(known.records));
    known.is_final = known.is_final && others.is_final;
  }
  add_last_rungs(known.rungs, request, known.records, known.near_miss);
}

// A problem whose record does not compile here is no miss, because tuning it again would find that record.
void Planner::log_miss(const MatchRequest& request, const WisdomAnswer& known) {
  if (!known.is_final) return;
  if (known.rungs.empty() || is_miss(known.rungs.front().match.rung)) misses_.add(request);
}

Match Planner::match(const KernelPack& kernel, const Problem& problem) {
  if (launches_nothing(kernel.spec, problem)) return match_of_nothing(kernel.spec, problem, device_->info());
  const MatchRequest request = request_for(kernel, problem);
  const auto chosen = deterministic_only_ ? choices_.find({kernel.spec.name, problem}) : std::nullopt;
  if (chosen) return chosen->match;
  WisdomAnswer first = known(request, Reach::this_problem);
  if (first.rungs.empty() && !first.are_all) first = known(request, Reach::all);
  if (first.rungs.empty()) complete(request, first);
  if (first.rungs.empty()) fail_without_any(request);
  GradedMatch& best = first.rungs.front();
  if (best.match.rung == Rung::exact) {
    grade_toolchain(best, request, images_.toolchain(wanted_image(request, best.match.configuration)));
  }
  return std::move(best.match);
}

PlannedParts Planner::plan(const KernelPack& kernel, const Problem& problem, Policy policy) {
  const MatchRequest request = request_for(kernel, problem);
  Status status;
  if (launches_nothing(kernel.spec, problem))
    return {build(request, {match_of_nothing(kernel.spec, problem, request.device), {}, false}, status)};
  if (deterministic_only_) return plan_deterministic(request, policy);
  if (policy != Policy::wait) return plan_ready(kernel, request, policy);
  WisdomAnswer present;
  for (const Reach reach : {Reach::this_problem, Reach::all}) {
    present = known(request, reach);
    log_miss(request, present);
    for (const GradedMatch& graded : present.rungs)
      if (auto parts = build_or_warn(request, graded)) return {std::move(parts), true, present.is_final};
    if (present.are_all) break;
  }
  complete(request, present);
  return {build_last(request, present), true, present.is_final};
}

// Where a problem has a record that `background` will prepare, near problems are looked for only if neither the
// record's image nor a fall-back's is ready. Else near problems are looked for before the fall-backs.
PlannedParts Planner::plan_ready(const KernelPack& kernel, const MatchRequest& request, Policy policy) {
  WisdomAnswer present = known(request, Reach::this_problem);
  log_miss(request, present);
  if (!present.are_all) {
    present.rungs.resize(own_records(present.rungs));
    const bool has_own = !present.rungs.empty();
    present.recorded = present.rungs.size();
    if (has_own) {
      if (policy == Policy::background) complete(request, present);
      if (auto planned = find_ready(request, present)) return *std::move(planned);
    }
    WisdomAnswer all = known(request, Reach::all);
    if (has_own && all.rungs.empty()) {
      present.is_final = all.is_final;  // the source has become unreadable
    } else {
      present = std::move(all);
      log_miss(request, present);
    }
  }
  complete(request, present);
  if (present.rungs.empty()) fail_without_any(request);
  if (auto planned = find_ready(request, present)) return *std::move(planned);
  if (policy == Policy::cached_only) throw not_prepared(request);
  ++waited_;
  if (present.recorded == 0) return {build_last(request, present), true, present.is_final};
  // A fall-back serves until the best is prepared, unless it is known to fail here.
  for (const GradedMatch& graded : present.rungs) {
    if (graded.match.rung != Rung::none || graded.is_last_resort) continue;
    if (auto parts = try_build(request, graded)) return {std::move(parts), false, present.is_final};
  }
  return plan(kernel, request.problem, Policy::wait);
}

// Returns the best rung that is loaded or cached. A rung that is a last resort counts only if it is the first one.
std::optional<PlannedParts> Planner::find_ready(const MatchRequest& request, const WisdomAnswer& present) {
  for (const GradedMatch& graded : present.rungs) {
    const bool is_best = &graded == &present.rungs.front();
    if (graded.is_last_resort && !is_best) break;
    if (auto parts = try_build(request, graded, false))
      return PlannedParts{std::move(parts), is_best, present.is_final};
  }
  return std::nullopt;
}

PlannedParts Planner::plan_deterministic(const MatchRequest& request, Policy policy) {
  const PlanRequest asked{request.spec.name, request.problem};
  Status status;
  const auto plan_chosen = [&](const GradedMatch& chosen) -> PlannedParts {
    if (auto parts = build_or_fail(request, chosen, policy, status)) return {std::move(parts)};
    fail_for_now(request, chosen.match.configuration, status.detail);
  };
  if (const std::optional<GradedMatch> chosen = choices_.find(asked)) return plan_chosen(*chosen);
  WisdomAnswer present = known(request, Reach::all);
  log_miss(request, present);
  complete(request, present);
  if (present.rungs.empty()) fail_without_any(request);
  for (const GradedMatch& graded : present.rungs) {
    if (auto parts = build_or_fail(request, graded, policy, status)) {
      const GradedMatch chosen = choices_.keep(asked, graded);
      if (chosen.match.configuration != graded.match.configuration) return plan_chosen(chosen);
      return {std::move(parts)};
    }
    if (graded.match.rung != Rung::none) warn_of(request, graded.match.configuration, status);
  }
  throw Error(fmt::format("no deterministic configuration of {} can be used for {} on {}; the last ({}) {}: {}",
                          request.spec.name, request.problem.text(), request.device.name,
                          present.rungs.back().match.configuration.text(), to_text(status.verdict), status.detail));
}

// A failure that is not of the code itself may pass, so that another configuration in its place would be used in this
// run alone. Such a failure is an Error.
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
  } catch (const Error& error) {  // such as no compiler
    wrong = error.what();
  }
  fail_for_now(request, graded.match.configuration, wrong);
}

std::shared_ptr<const PlanParts> Planner::try_build(const MatchRequest& request, const GradedMatch& graded,
                                                    bool may_compile) {
  try {
    Status status;
    return build(request, graded, status, may_compile);
  } catch (const Error&) {
    return nullptr;  // this configuration fails; another may serve
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

// A fall-back that does not compile gives way to the next rung: another fall-back, or a record of another problem. If
// none can be used, the failure of the first fall-back is reported.
std::shared_ptr<const PlanParts> Planner::build_last(const MatchRequest& request, const WisdomAnswer& known) {
  std::exception_ptr first;
  std::string warning;
  for (const GradedMatch& graded : std::span(known.rungs).subspan(known.recorded)) {
    if (graded.match.rung != Rung::none) {
      if (auto parts = build_or_warn(request, graded)) {
        if (!warning.empty()) warnings_.warn(warning + "; using what was found for " + graded.match.record_problem);
        return parts;
      }
      continue;
    }
    try {
      Status status;
      if (auto parts = build(request, graded, status)) return parts;
      fail_of_default(request, graded.match.configuration, status);
    } catch (const Error& error) {
      if (first != nullptr) continue;
      first = std::current_exception();
      warning = first_line(error.what());
    }
  }
  if (first == nullptr) fail_without_any(request);
  std::rethrow_exception(first);
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
  const Configuration* const resolved = launches_nothing(spec, request.problem) ? nullptr : &configuration;
  const auto steps = resolve_steps(spec, spec.launch, request.problem, resolved, request.device);
  const auto arguments = resolve_arguments(spec, request.problem, resolved, request.device);
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
