// What a database knows of many configurations on many problems of a kernel: what a cover is made of.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "cover/matrix.hpp"
#include "db/wisdom_store.hpp"

namespace attune::cli {

struct CoverCells {
  RecordKey key;  // without a problem
  DeviceInfo device;
  CoverMatrix matrix;
  std::vector<Problem> lacking;  // problems on which configurations of the matrix were not measured
  std::size_t missing = 0;       // cells of them
  std::size_t left_out = 0;      // configurations that were measured on too few problems
};

// Reads the sessions and finalists of the device class whose key, name or kind is `device`; "" is any. `given`:
// the kernel as the user named it, for commands in messages. A configuration
// counts if it was measured on three quarters of the problems for which it is legal. Times of finalists come before
// those of trials. Throws UsageError where there is nothing, or more than one class.
CoverCells read_cover_cells(WisdomStore& store, const KernelSpec& spec, const std::string& given,
                            const std::string& device, RecordKey key);

}  // namespace attune::cli
