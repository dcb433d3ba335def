#include "device/checks.hpp"

namespace attune {

Status Checks::run(DataTools& tools) const {
  const std::vector<InspectionFinding> found = tools.inspect(inspections_);
  Status status;
  for (std::size_t i = 0; i < judges_.size(); ++i) {
    Status one = judges_[i](found[i]);
    if (status.ok()) status = std::move(one);
  }
  return status;
}

}  // namespace attune
