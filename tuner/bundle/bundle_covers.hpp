// Covers in a bundle: a section for each kernel text (docs/formats/bundle.md).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "attune/bundle.hpp"
#include "core/cover.hpp"

namespace attune {

// Adds covers. Of several with one key the newest is kept. The order of `covers` does not matter. Throws UsageError if
// the bundle has covers of their code and contract already.
void add_covers(BundleWriter& bundle, std::vector<Cover> covers);

// Returns the covers of a section, or nothing if its bytes are damaged or of another version. Safe on any bytes.
std::optional<std::vector<Cover>> decode_covers(std::span<const std::byte> bytes);

}  // namespace attune
