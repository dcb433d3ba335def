#include "worker/worker_contents.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace attune {

void WorkerContents::forget_problem() {
  problem = {};
  deadlines.anchor_seconds = 0;
}

void WorkerContents::lose_worker() {
  for (auto& [id, loaded] : problem.loaded) loaded.is_there = false;
  ++problem.worker;
  is_open = has_problem = is_worn = false;
}

void WorkerContents::wear() {
  is_worn = true;
  spoiler.reset();
}

void WorkerContents::spoil(const Job& job, const std::string& changed) {
  const std::vector<std::string> names = names_of(job);
  const std::string note = fmt::format("{}{}: changed its worker ({}); a fresh one goes on",
                                       names.size() > 1 ? "one of " : "", fmt::join(names, "; "), changed);
  std::vector<InstanceId> by = instances_of(job);
  if (const InstanceLaunch* const launch = launch_of(job)) by.push_back(launch->instance);
  const bool is_one = !by.empty() && std::count(by.begin(), by.end(), by.front()) == std::ssize(by);
  const bool is_alone = is_one && (!is_worn || spoiler == by.front());
  wear();
  if (is_alone) spoiler = by.front();
  if (problem.noted.insert(note).second) notes.push_back(note);
}

void WorkerContents::note(const Job& job, const Answer& answer, double seconds) {
  if (const auto* begin = std::get_if<Begin>(&job)) {
    forget_problem();
    if (const auto* begun = std::get_if<BeginAnswer>(&answer)) {
      problem.begin = *begin;
      note_begun(*begun, seconds);
    }
  }
  if (const auto* opened = std::get_if<DeviceFacts>(&answer)) deadlines.on_host = opened->info.kind == "host";
  const auto* const tried = std::get_if<TryAnswer>(&answer);
  if (const auto* load = std::get_if<Load>(&job); load != nullptr && tried != nullptr && tried->status.ok())
    problem.loaded.insert_or_assign(load->launch.instance, LoadedInstance{load->launch, true});
  if (const auto* release = std::get_if<Release>(&job)) problem.loaded.erase(release->instance);
}

void WorkerContents::note_begun(const BeginAnswer& begun, double seconds) {
  has_problem = true;
  problem.free_bytes = begun.free_bytes;
  deadlines.begin_seconds = seconds;
}

bool WorkerContents::needs_fresh(const Job& job) const {
  if (!is_worn || !spoiler || launch_of(job) != nullptr || std::holds_alternative<Begin>(job)) return is_worn;
  const std::vector<InstanceId> needed = instances_of(job);
  return std::any_of(needed.begin(), needed.end(), [this](InstanceId id) { return id != *spoiler; });
}

std::optional<InstanceId> WorkerContents::first_missing(const Job& job) const {
  for (const InstanceId id : instances_of(job)) {
    const auto found = problem.loaded.find(id);
    if (found != problem.loaded.end() && !found->second.is_there) return id;
  }
  return std::nullopt;
}

const InstanceLaunch* WorkerContents::subject_of(const Job& job, std::optional<InstanceId> failed) const {
  if (const InstanceLaunch* const launch = launch_of(job)) return launch;
  const std::vector<InstanceId> instances = instances_of(job);
  if (!failed && !instances.empty() && !samples_several(job)) failed = instances.front();
  const auto found = failed ? problem.loaded.find(*failed) : problem.loaded.end();
  return found == problem.loaded.end() ? nullptr : &found->second.launch;
}

std::vector<std::string> WorkerContents::names_of(const Job& job) const {
  if (const InstanceLaunch* const launch = launch_of(job)) return {launch->configuration};
  std::vector<std::string> names;
  for (const InstanceId id : instances_of(job)) {
    const auto found = problem.loaded.find(id);
    if (found == problem.loaded.end()) continue;  // it was never loaded, or the worker refused it
    const std::string& name = found->second.launch.configuration;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace attune
