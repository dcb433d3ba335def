// SessionTerms: the request of a session and what follows from it before the first trial. Immutable.
#pragma once

#include <optional>
#include <vector>

#include "session/session.hpp"
#include "subject/subject.hpp"
#include "worker/jobs.hpp"

namespace attune {

// Returns the key under which a session for this request is stored.
SessionKey session_key(const SessionRequest& request, const Subject& subject, const DeviceInfo& device);

struct SessionTerms {
  // The references must outlive it.
  SessionTerms(const SessionRequest& request, const Subject& subject, const DeviceFacts& opened);

  const SessionRequest& request;
  const Subject& subject;
  const DeviceFacts& opened;
  const DeviceInfo& device;
  // The subject's own.
  const SearchSpace& space;
  const std::optional<Configuration>& default_configuration;
  const std::vector<Configuration>& anchors;
  const SessionKey key;
  const Budget budget;  // of the effort, stretched by a longer time limit
  const Protocol protocol;

  bool is_default(const Configuration& configuration) const { return configuration == default_configuration; }
  bool may_be_anchor(const Configuration& configuration) const;
};

// Returns an explanation of why no configuration is legal: what each rule removes.
std::string empty_space_explanation(const SearchSpace& space);

}  // namespace attune
