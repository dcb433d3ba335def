// Finds, in what the host's compiler rejects, the names of parts of CUDA that the host device does not offer. Pure.
// docs/host_device.md has the list of these parts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "attune/source_text.hpp"

namespace attune {

// Returns the first unsupported thing that a compiler's `messages` are about, or nothing: "FILE:LINE: error: `NAME` is
// not supported on the host device: REASON; see docs/host_device.md". The name is in the message, or in the line of
// `files` to which the message points.
std::optional<std::string> unsupported_use(std::string_view messages, std::span<const Header> files);

}  // namespace attune
