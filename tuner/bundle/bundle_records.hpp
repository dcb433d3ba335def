// Writes records into a bundle.
#pragma once

#include <span>

#include "attune/bundle.hpp"
#include "core/record.hpp"

namespace attune {

// Adds the records: for each kernel text an index and its pages. The order of `records` does not matter. Throws
// UsageError if records of one code and contract have problems with different names, or if the bundle has records of
// that code and contract already.
void add_records(BundleWriter& bundle, std::span<const Record> records);

}  // namespace attune
