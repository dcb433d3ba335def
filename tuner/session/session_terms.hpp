// SessionTerms: the request of a session and what follows from it before the first trial. Immutable.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "attune/search_space.hpp"
#include "kernel/instance.hpp"
#include "session/session.hpp"
#include "worker/jobs.hpp"

namespace attune {

// Returns the key under which a session for this request is stored.
SessionKey session_key(const SessionRequest& request, const DeviceInfo& device);

struct SessionTerms {
  // `request` and `opened` must outlive it.
  SessionTerms(const SessionRequest& request, const DeviceOpened& opened);

  const SessionRequest& request;
  const DeviceOpened& opened;
  const DeviceInfo& device;
  const SearchSpace space;
  // The kernel's own default, even if the session is narrowed. Nothing if the kernel has none, or if the session must
  // not use it, because it was narrowed to deterministic configurations ([kernel] `deterministic`) and the default is
  // not one.
  const std::optional<Configuration> default_configuration;
  // What may be the anchor, in order: the default, then the first values left if they differ. Without a reference, the
  // results of an anchor are the expected ones. Empty if no configuration is legal.
  const std::vector<Configuration> anchors;
  const SessionKey key;
  const Budget budget;  // of the effort, stretched by a longer time limit
  const Protocol protocol;

  // Return what [metrics] says of a configuration, if anything.
  std::optional<double> bytes(const Configuration& configuration) const;
  std::optional<double> flops(const Configuration& configuration) const;
  bool is_default(const Configuration& configuration) const { return configuration == default_configuration; }
  bool may_be_anchor(const Configuration& configuration) const;
  // Makes the instance of a configuration. Throws Error when a part of it cannot be resolved.
  std::shared_ptr<const Instance> instance(InstanceId id, const Configuration& configuration) const;
};

// Returns an explanation of why no configuration is legal: what each rule removes.
std::string empty_space_explanation(const SearchSpace& space);

}  // namespace attune
