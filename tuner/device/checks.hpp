// Checks: a batch of inspections of device memory, each with a function that judges its answer. On a GPU an inspection
// costs a few microseconds and waiting for its answer some tens of them; a batch waits only once.
#pragma once

#include <functional>
#include <vector>

#include "core/verdict.hpp"
#include "device/data_tools.hpp"

namespace attune {

class Checks {
 public:
  using Judge = std::function<Status(const InspectionFinding&)>;

  void add(const Inspection& inspection, Judge judge) {
    inspections_.push_back(inspection);
    judges_.push_back(std::move(judge));
  }
  // Runs all judges in the order of add(), and returns the first status that is not ok. Throws Error when the device
  // fails.
  Status run(DataTools& tools) const;

 private:
  std::vector<Inspection> inspections_;
  std::vector<Judge> judges_;
};

}  // namespace attune
