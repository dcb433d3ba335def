// Writes records into a bundle.
#pragma once

#include <span>

#include "attune/bundle.hpp"
#include "core/record.hpp"

namespace attune {

// Adds the records, by kernel text: an index each, and its pages. Their order does not matter. Throws UsageError where
// records of one code and contract have problems of different names, or the bundle has records of it already.
void add_records(BundleWriter& bundle, std::span<const Record> records);

}  // namespace attune
