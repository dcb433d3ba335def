#include "worker/worker_contents.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "attune/error.hpp"

namespace attune {

void WorkerContents::set_known_good(std::optional<KnownGood> known_good) {
  const std::lock_guard lock(mutex_);
  deadlines_.anchor_seconds = known_good ? known_good->launch_seconds : 0;
  known_good_ = std::move(known_good);
}

std::optional<KnownGood> WorkerContents::known_good() const {
  const std::lock_guard lock(mutex_);
  return known_good_;
}

TimeLimit WorkerContents::limit(const Job& job) const {
  const std::lock_guard lock(mutex_);
  return deadlines_.limit(job);
}

TimeLimit WorkerContents::limit_of_reference(const Job& job) const {
  const std::lock_guard lock(mutex_);
  return deadlines_.limit_of_reference(job);
}

TimeLimit WorkerContents::to_begin() const {
  const std::lock_guard lock(mutex_);
  return {is_open_ ? Deadlines::take_seconds : Deadlines::open_seconds, true};
}

void WorkerContents::note_open() {
  const std::lock_guard lock(mutex_);
  is_open_ = true;
}

// An instance that was never loaded counts as ready, because the worker refuses it.
bool WorkerContents::is_ready_for(const Job& job) const {
  const std::lock_guard lock(mutex_);
  if (needs_fresh_worker(job) || (is_apart_ && samples_several(job))) return false;
  const std::vector<InstanceId> wanted = instances_of(job);
  return std::all_of(wanted.begin(), wanted.end(), [this](InstanceId id) {
    const auto found = loaded_.find(id);
    return found == loaded_.end() || found->second.is_there;
  });
}

std::optional<InstanceId> WorkerContents::first_missing(const Job& job) const {
  const std::lock_guard lock(mutex_);
  for (const InstanceId id : instances_of(job)) {
    const auto found = loaded_.find(id);
    if (found == loaded_.end()) throw Error(fmt::format("instance {} was not loaded, or is released", id));
    if (!found->second.is_there) return id;
  }
  return std::nullopt;
}

void WorkerContents::note(const Job& job, const Answer& answer, double seconds) {
  if (const auto* begin = std::get_if<Begin>(&job)) {
    forget_problem();
    const auto* const begun = std::get_if<Begun>(&answer);
    if (begun == nullptr) return;
    this->begin(*begin);
    set_begun(begun->free_bytes, seconds);
  }
  const std::lock_guard lock(mutex_);
  if (const auto* opened = std::get_if<DeviceOpened>(&answer)) deadlines_.on_host = opened->info.kind == "host";
  const auto* const tried = std::get_if<Tried>(&answer);
  if (const auto* load = std::get_if<Load>(&job); load != nullptr && tried != nullptr && tried->status.ok())
    loaded_.insert_or_assign(load->launch.instance, Loaded{load->launch, true});
  if (const auto* release = std::get_if<Release>(&job)) loaded_.erase(release->instance);
}

void WorkerContents::begin(const Begin& job) {
  forget_problem();
  const std::lock_guard lock(mutex_);
  problem_ = job;
}

void WorkerContents::set_begun(std::uint64_t free_bytes, double seconds) {
  const std::lock_guard lock(mutex_);
  deadlines_.begin_seconds = seconds;
  free_at_begin_ = free_bytes;
}

void WorkerContents::worker_lost() {
  const std::lock_guard lock(mutex_);
  for (auto& [id, loaded] : loaded_) loaded.is_there = false;
  ++worker_;
  is_open_ = is_worn_ = false;
}

void WorkerContents::forget_problem() {
  const std::lock_guard lock(mutex_);
  problem_.reset();
  known_good_.reset();
  loaded_.clear();
  deaths_.clear();
  noted_.clear();
  worker_ = 1;
  deadlines_.anchor_seconds = 0;
  is_apart_ = false;
}

void WorkerContents::wear() {
  const std::lock_guard lock(mutex_);
  is_worn_ = true;
  spoiler_.reset();
}

bool WorkerContents::needs_fresh(const Job& job) const {
  const std::lock_guard lock(mutex_);
  return needs_fresh_worker(job);
}

// The caller holds the mutex.
bool WorkerContents::needs_fresh_worker(const Job& job) const {
  if (!is_worn_ || !spoiler_ || launch_of(job) != nullptr || std::holds_alternative<Begin>(job)) return is_worn_;
  const std::vector<InstanceId> needed = instances_of(job);
  return !std::all_of(needed.begin(), needed.end(), [this](InstanceId id) { return id == *spoiler_; });
}

std::vector<std::string> WorkerContents::names_of(const Job& job) const {
  if (const InstanceLaunch* const launch = launch_of(job)) return {launch->configuration};
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const InstanceId id : instances_of(job)) {
    const auto found = loaded_.find(id);
    if (found == loaded_.end()) continue;  // it was never loaded, or the worker refused it
    const std::string& name = found->second.launch.configuration;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

void WorkerContents::spoil(const Job& job, const std::string& changed) {
  const std::vector<std::string> names = names_of(job);
  const std::string note = fmt::format("{}{}: changed its worker ({}); a fresh one goes on",
                                       names.size() > 1 ? "one of " : "", fmt::join(names, "; "), changed);
  const InstanceLaunch* const launch = launch_of(job);
  std::vector<InstanceId> by = instances_of(job);
  if (launch != nullptr) by.push_back(launch->instance);
  const bool is_one = !by.empty() && std::count(by.begin(), by.end(), by.front()) == std::ssize(by);
  const std::lock_guard lock(mutex_);
  const bool is_alone = is_one && (!is_worn_ || spoiler_ == by.front());
  spoiler_ = is_alone ? std::optional(by.front()) : std::nullopt;
  is_worn_ = true;
  if (noted_.insert(note).second) notes_.push_back(note);
}

std::vector<std::string> WorkerContents::take_notes() {
  const std::lock_guard lock(mutex_);
  return std::exchange(notes_, {});
}

bool WorkerContents::is_worn() const {
  const std::lock_guard lock(mutex_);
  return is_worn_;
}

void WorkerContents::keep_apart() {
  const std::lock_guard lock(mutex_);
  is_apart_ = true;
}

std::optional<Begin> WorkerContents::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

std::uint64_t WorkerContents::free_at_begin() const {
  const std::lock_guard lock(mutex_);
  return free_at_begin_;
}

bool WorkerContents::is_apart() const {
  const std::lock_guard lock(mutex_);
  return is_apart_;
}

WorkerContents::Deaths WorkerContents::deaths_of(const std::string& configuration) const {
  const std::lock_guard lock(mutex_);
  const auto found = deaths_.find(configuration);
  return found == deaths_.end() ? Deaths{} : found->second;
}

int WorkerContents::count_death(const std::string& configuration, const Death& death) {
  const std::lock_guard lock(mutex_);
  Deaths& deaths = deaths_[configuration];
  deaths.last = death.status;
  deaths.from_outside += death.is_from_outside ? 1 : 0;
  return ++deaths.count;
}

void WorkerContents::take_back_death(const std::string& configuration, const Death& death) {
  const std::lock_guard lock(mutex_);
  Deaths& deaths = deaths_.at(configuration);
  --deaths.count;
  deaths.from_outside -= death.is_from_outside ? 1 : 0;
}

int WorkerContents::worker() const {
  const std::lock_guard lock(mutex_);
  return worker_;
}

std::optional<WorkerContents::Past> WorkerContents::past_of(InstanceId instance) const {
  const std::lock_guard lock(mutex_);
  const auto found = loaded_.find(instance);
  if (found == loaded_.end()) return std::nullopt;
  const auto deaths = deaths_.find(found->second.launch.configuration);
  return Past{found->second.launch.attempt, deaths == deaths_.end() ? 0 : deaths->second.held()};
}

}  // namespace attune
