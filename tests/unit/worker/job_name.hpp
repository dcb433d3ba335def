// The names of jobs in tests.
#pragma once

#include <string>

#include "worker/jobs.hpp"

namespace attune {

// "try 2", "try 2#3" for its third attempt, "rounds 1 2 1", "begin", ...
inline std::string name_of(const Job& job) {
  constexpr const char* names[] = {"open",  "begin", "load",    "try",           "rounds",
                                   "check", "meter", "release", "open compiler", "compile"};
  static_assert(std::size(names) == std::variant_size_v<Job>);
  std::string name = names[job.index()];
  const auto add = [&](const InstanceLaunch& launch) {
    name += " " + std::to_string(launch.instance);
    if (launch.attempt > 1) name += "#" + std::to_string(launch.attempt);
  };
  if (const auto* load = std::get_if<Load>(&job)) add(load->launch);
  if (const auto* tried = std::get_if<Try>(&job)) add(tried->launch);
  if (const auto* release = std::get_if<Release>(&job)) name += " " + std::to_string(release->instance);
  for (const InstanceId id : instances_of(job)) name += " " + std::to_string(id);
  return name;
}

}  // namespace attune
