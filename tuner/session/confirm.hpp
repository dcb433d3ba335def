// Confirm: the stage between search and comparison: the best are sampled again, at several moments, and ranked by that
// (measure/confirm_stage.hpp). One thread.
#pragma once

#include <span>
#include <vector>

#include "measure/confirm_stage.hpp"
#include "session/stage.hpp"

namespace attune {

class Confirm : private Stage {
 public:
  explicit Confirm(SessionParts& parts) : Stage(parts) {}

  // The survivors, best first: those that were confirmed, or all in the order of the search when the stage comes to no
  // end.
  std::vector<Trial> run();

 private:
  std::vector<Trial> near_best() const;
  void compile_missing(const std::vector<Trial>& trials);
  std::vector<std::size_t> visits(InstanceId best, const std::vector<Trial>& chosen);
  bool visit_all(const std::vector<Trial>& chosen, std::span<const std::size_t> columns, InstanceId best,
                 Confirmations& ratios);
  bool visit(const std::vector<Trial>& chosen, std::span<const std::size_t> group, InstanceId best,
             Confirmations& ratios);
  std::optional<std::size_t> sample_beside(const std::vector<Trial>& chosen, const std::vector<std::size_t>& columns,
                                           InstanceId best, const std::vector<InstanceId>& instances,
                                           Confirmations& ratios);
};

}  // namespace attune
