#include "dispatch/planner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "db/paths.hpp"
#include "dispatch/wisdom_snapshot.hpp"
#include "kernel/instantiate.hpp"
#include "kernel/legality.hpp"
#include "space/default_configuration.hpp"

namespace attune {
namespace {

// While the database is locked, it is asked again after this.
constexpr std::chrono::seconds locked_pause{1};

// A compiler's log may have thousands of lines; a warning has one.
std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

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

}  // namespace

Planner::Planner(std::shared_ptr<Device> device, std::optional<std::filesystem::path> database,
                 const CacheFolders& caches, Regime regime, std::string objective, Warnings& warnings)
    : device_(std::move(device)),
      database_(std::move(database)),
      regime_(regime),
      objective_(std::move(objective)),
      warnings_(warnings),
      images_(device_, caches_in(caches, warnings),
              [&warnings](const std::string& message) { warnings.warn(message); }) {}

MatchRequest Planner::request_for(const KnownKernel& kernel, const Problem& problem) const {
  return {kernel.spec, problem, device_->info(), kernel.tune_target, to_text(regime_), objective_};
}

std::vector<GradedMatch> Planner::ladder(KnownKernel& kernel, const MatchRequest& request, bool& is_final) {
  const KnownKernel::Records records = kernel.records([&]() -> std::optional<std::vector<Record>> {
    if (!database_) return std::vector<Record>();
    if (Clock::now() < ask_again_.load()) return std::nullopt;
    const RecordKey key{request.spec.name,
                        request.spec.fingerprints.code,
                        request.spec.fingerprints.contract,
                        request.device.class_key(),
                        request.problem,
                        std::string(request.regime),
                        std::string(request.objective)};
    auto read = read_wisdom(*database_, key, [&](const std::string& message) { warnings_.warn(message); });
    if (!read) ask_again_ = Clock::now() + locked_pause;  // not once for each kernel
    return read;
  });
  is_final = records != nullptr;
  if (!is_final) return {};
  return match_ladder(request, *records, [&](const Configuration& configuration) {
    return legal_configuration(request.spec, request.problem, request.device, configuration);
  });
}

GradedMatch Planner::last_rung(const MatchRequest& request) const {
  return {no_match(request, default_for(request.spec, request.problem, request.device)), {}};
}

Match Planner::match(KnownKernel& kernel, const Problem& problem) {
  const MatchRequest request = request_for(kernel, problem);
  bool is_final = true;
  auto rungs = ladder(kernel, request, is_final);
  if (rungs.empty()) return last_rung(request).match;
  GradedMatch& best = rungs.front();
  if (best.match.rung == Rung::exact) {
    grade_toolchain(
        best, request,
        images_.toolchain(launch_image_request(request.spec, problem, best.match.configuration, request.device)));
  }
  return std::move(best.match);
}

Planned Planner::plan(KnownKernel& kernel, const Problem& problem) {
  const MatchRequest request = request_for(kernel, problem);
  bool is_final = true;
  for (const GradedMatch& graded : ladder(kernel, request, is_final)) {
    if (auto parts = build_or_warn(request, graded)) return {std::move(parts), is_final};
  }
  const GradedMatch last = last_rung(request);
  Status status;
  if (auto parts = build(request, last, status)) return {std::move(parts), is_final};
  throw Error(fmt::format("the default configuration of {} ({}) cannot be used for {} on {}: {}: {}", request.spec.name,
                          last.match.configuration.text(), problem.text(), request.device.name, to_text(status.verdict),
                          status.detail));
}

std::shared_ptr<const PlanParts> Planner::build_or_warn(const MatchRequest& request, const GradedMatch& graded) {
  Status status;
  try {
    if (auto parts = build(request, graded, status)) return parts;
  } catch (const Error& error) {
    // A broken environment, such as no compiler; a lower rung may still be in the image cache.
    status = {Verdict::load_error, error.what(), false};
  }
  warnings_.warn(
      fmt::format("the recorded configuration of {} ({}) cannot be used for {} on {}: {}: {}; using the next best",
                  request.spec.name, graded.match.configuration.text(), request.problem.text(), request.device.name,
                  to_text(status.verdict), first_line(status.detail)));
  return nullptr;
}

std::shared_ptr<const PlanParts> Planner::build(const MatchRequest& request, GradedMatch graded, Status& status) {
  const KernelSpec& spec = request.spec;
  const Configuration& configuration = graded.match.configuration;
  const auto steps = resolve_steps(spec, spec.launch, request.problem, &configuration, request.device);
  const auto arguments = resolve_arguments(spec, request.problem, &configuration, request.device);
  LoadedImage image;
  if (has_launch(steps)) {
    image = images_.get(launch_image_request(spec, request.problem, configuration, request.device));
    status = image.status;
    if (!status.ok()) return nullptr;
    grade_toolchain(graded, request, image.toolchain);
  }
  const std::lock_guard lock(functions_);
  return make_plan_parts(device_, std::move(image.module), std::move(image.image), spec, request.problem,
                         std::move(graded.match), steps, arguments, status, [this](const std::string& message) {
                           warnings_.warn(message);
                           warnings_.deliver();
                         });
}

}  // namespace attune
