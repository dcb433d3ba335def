// Confirm: the stage between search and comparison. It samples the best configurations again at several moments and
// ranks them by these samples (measure/confirm_stage.hpp). One thread.
#pragma once

#include <span>
#include <vector>

#include "measure/confirm_stage.hpp"
#include "session/stage.hpp"

namespace attune {

class Confirm : private Stage {
 public:
  explicit Confirm(SessionParts& parts) : Stage(parts), protocol_(parts.terms.protocol) {}

  // Returns the confirmed survivors, best first, or all survivors in the search's order if none was confirmed.
  std::vector<Trial> run();

 private:
  void set_samples();
  bool load_best(const Trial& trial, const ReadyInstance& best);
  std::vector<Trial> near_best() const;
  void compile_missing(const std::vector<Trial>& trials);
  std::vector<std::size_t> visits(InstanceId best, const std::vector<Trial>& chosen);
  bool visit_all(const std::vector<Trial>& chosen, std::span<const std::size_t> columns, InstanceId best,
                 Confirmations& ratios);
  bool visit(TrialBench& bench, const std::vector<Trial>& chosen, std::span<const std::size_t> group, InstanceId best,
             Confirmations& ratios);
  std::optional<std::size_t> sample_beside(TrialBench& bench, const std::vector<Trial>& chosen,
                                           const std::vector<std::size_t>& columns, InstanceId best,
                                           const std::vector<InstanceId>& instances, Confirmations& ratios);

  Protocol protocol_;  // with as many samples as the scatter asks for
};

}  // namespace attune
