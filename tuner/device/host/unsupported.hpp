// Parts of CUDA that the host device does not offer: the names for what its compiler rejects. Pure. The list stands in
// docs/host_device.md.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "attune/source_text.hpp"

namespace attune {

// Returns the first unsupported thing that a compiler's `messages` are about, or nothing: "FILE:LINE: error: `NAME` is
// not supported on the host device: REASON; see docs/host_device.md". A message names the thing, or the line of `files`
// does at which the message points.
std::optional<std::string> unsupported_use(std::string_view messages, std::span<const Header> files);

}  // namespace attune
