// SessionTerms: the request and the terms of a session, fixed before the first trial. Immutable.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "attune/search_space.hpp"
#include "kernel/instance.hpp"
#include "session/session.hpp"
#include "worker/jobs.hpp"

namespace attune {

// Returns what a session for this request is stored under.
SessionKey session_key(const SessionRequest& request, const DeviceInfo& device);

struct SessionTerms {
  // `request` and `opened` must outlive it.
  SessionTerms(const SessionRequest& request, const DeviceOpened& opened);

  const SessionRequest& request;
  const DeviceOpened& opened;
  const DeviceInfo& device;
  const SearchSpace space;
  // The kernel's own, whatever was narrowed; nothing where it has none, or where the session must not use it: all that
  // was left is deterministic ([kernel] `deterministic`), and the default is not.
  const std::optional<Configuration> default_configuration;
  // What may be the anchor, in order: the default, then the first values left where they are others. Without a
  // reference, their results are expected. None: no configuration is legal.
  const std::vector<Configuration> anchors;
  const SessionKey key;
  const Budget budget;  // of the effort; a longer time limit stretches it
  const Protocol protocol;

  // Return what [metrics] says of a configuration; nothing where it says nothing.
  std::optional<double> bytes(const Configuration& configuration) const;
  std::optional<double> flops(const Configuration& configuration) const;
  bool is_default(const Configuration& configuration) const { return configuration == default_configuration; }
  bool may_be_anchor(const Configuration& configuration) const;
  // Makes an instance. Throws Error when a part of it cannot be resolved.
  std::shared_ptr<const Instance> instance(InstanceId id, const Configuration& configuration) const;
};

// Returns where to look when no configuration is legal.
std::string empty_space_explanation(const SearchSpace& space);

}  // namespace attune
